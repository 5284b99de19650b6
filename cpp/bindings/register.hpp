// One register_* function a topic; each lives in the binding file of that topic.
#pragma once

#include <nanobind/nanobind.h>

namespace bayou::bindings {}  // namespace bayou::bindings
