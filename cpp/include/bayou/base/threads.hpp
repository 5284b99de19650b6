// Running independent tasks on a few threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace bayou {

// How many threads to use: `requested`, or every core where it is not positive.
int usable_threads(int requested);

// Calls body(task, worker) once for each task below `tasks`; worker < usable_threads(threads).
// Tasks are handed out in order; the first exception stops the rest and is thrown again here.
void parallel_for(std::size_t tasks, int threads, const std::function<void(std::size_t, int)>& body);

}  // namespace bayou
