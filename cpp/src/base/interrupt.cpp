#include "bayou/base/interrupt.hpp"

#include <chrono>
#include <stdexcept>

namespace bayou {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds between_questions{200};

struct InterruptState {
    bool asks = false, has_asked = false;
    Clock::time_point next;
    const std::atomic<bool>* stopped = nullptr;
};

thread_local InterruptState interrupt_state;
std::atomic<void (*)()> interrupt_check{nullptr};

}  // namespace

void set_interrupt_check(void (*check)()) { interrupt_check = check; }

Interruptible::Interruptible() : before_(interrupt_state.asks) {
    interrupt_state.asks = true;
    interrupt_state.has_asked = before_ && interrupt_state.has_asked;
}

Interruptible::~Interruptible() { interrupt_state.asks = before_; }

bool Interruptible::here() { return interrupt_state.asks; }

StopsWith::StopsWith(const std::atomic<bool>& stopped) { interrupt_state.stopped = &stopped; }

StopsWith::~StopsWith() { interrupt_state.stopped = nullptr; }

void stop_if_interrupted() {
    InterruptState& state = interrupt_state;
    if (state.stopped && state.stopped->load(std::memory_order_relaxed)) throw std::runtime_error("interrupted");
    if (!state.asks) return;
    const Clock::time_point now = Clock::now();
    if (state.has_asked && now < state.next) return;
    // The first question of a call waits, too: most calls are over by then.
    if (state.has_asked) {
        if (void (*check)() = interrupt_check.load(std::memory_order_relaxed)) check();
    }
    state.has_asked = true;
    state.next = Clock::now() + between_questions;
}

}  // namespace bayou
