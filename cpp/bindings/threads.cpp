// How many threads the kernels use where nothing else is said, and how they ask whether the user wants to stop them.
#include "bayou/base/threads.hpp"

#include "bayou/base/interrupt.hpp"
#include "register.hpp"

namespace bayou::bindings {

namespace {

// Runs Python's signal handlers, if this is the thread that runs them. What they raise stops the kernel.
void check_signals() {
    if (!PyGILState_GetThisThreadState()) return;
    const nanobind::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

}  // namespace

void register_threads(nanobind::module_& m) {
    set_interrupt_check(check_signals);
    using namespace nanobind::literals;
    m.def("set_default_threads", &set_default_threads, "count"_a,
          "Use this many threads from now on, in the whole process; 0 means every core.");
    m.def("default_threads", [] { return usable_threads(0); }, "The number of threads that are used.");
}

}  // namespace bayou::bindings
