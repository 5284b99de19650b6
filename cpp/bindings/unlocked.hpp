// Lets other Python threads run while a kernel works, and the user stop it with Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include "bayou/base/interrupt.hpp"

namespace bayou::bindings {

// For kernels that change nothing but their results, which are thrown away if the user stops them. Searches, which keep
// what they have found, return to Python now and then instead.
class Unlocked {
    nanobind::gil_scoped_release released_;
    Interruptible interruptible_;
};

}  // namespace bayou::bindings
