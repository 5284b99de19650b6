// How many threads the kernels use where nothing else is said.
#include "bayou/base/threads.hpp"

#include "register.hpp"

namespace bayou::bindings {

void register_threads(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("set_default_threads", &set_default_threads, "count"_a,
          "Use this many threads from now on, in the whole process; 0 means every core.");
    m.def("default_threads", [] { return usable_threads(0); }, "The number of threads that are used.");
}

}  // namespace bayou::bindings
