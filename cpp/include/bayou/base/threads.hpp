// Running independent tasks on a few threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace bayou {

// How many threads to use: `requested`, or the default where it is 0.
int usable_threads(int requested);

// What 0 stands for from now on, in the whole process: `count` threads, or every core again where it is 0.
void set_default_threads(int count);

// Calls body(task, worker) once for each task below `tasks`; worker < usable_threads(threads).
// Tasks are handed out in order; the first exception stops the rest and is thrown again here.
void parallel_for(std::size_t tasks, int threads, const std::function<void(std::size_t, int)>& body);

}  // namespace bayou
