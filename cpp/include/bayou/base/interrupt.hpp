// Stopping a kernel in the middle of its work, because the user wants so (Ctrl-C). Kernels know no Python: the bindings
// say how to ask, and in which calls it is safe to stop.
#pragma once

#include <atomic>

namespace bayou {

// Called now and then by the thread that called the kernel; throws to stop it.
void set_interrupt_check(void (*check)());

// While one lives, stop_if_interrupted() asks in this thread. What the kernel has computed so far is thrown away.
class Interruptible {
  public:
    Interruptible();
    ~Interruptible();
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;
    static bool here();  // whether one lives in this thread

  private:
    bool before_;
};

// While one lives, stop_if_interrupted() throws in this thread as soon as `stopped` is true.
class StopsWith {
  public:
    explicit StopsWith(const std::atomic<bool>& stopped);
    ~StopsWith();
    StopsWith(const StopsWith&) = delete;
    StopsWith& operator=(const StopsWith&) = delete;
};

// To be called in loops that may take long, about every millisecond; it looks at the clock, which takes some 30 ns.
void stop_if_interrupted();

}  // namespace bayou
