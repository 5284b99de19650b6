#include "bayou/base/crew.hpp"

#include <chrono>
#include <system_error>

#include <unistd.h>

#include "bayou/base/threads.hpp"

namespace bayou {

namespace {

// Searches ask again after some microseconds: waking a sleeper takes longer than that.
constexpr std::chrono::microseconds awake{100};

void breathe() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// Waits for a short while until `is_there`.
template <typename Condition>
bool soon(const Condition& is_there) {
    const auto until = std::chrono::steady_clock::now() + awake;
    do {
        for (int turn = 0; turn < 64; ++turn) {
            if (is_there()) return true;
            breathe();
        }
    } while (std::chrono::steady_clock::now() < until);
    return is_there();
}

}  // namespace

Crew::Crew(int threads) : process_(static_cast<int>(getpid())) {
    const int wanted = usable_threads(threads);
    members_.reserve(wanted);
    for (int worker = 1; worker < wanted; ++worker) {
        try {
            members_.emplace_back([this, worker] { serve(worker); });
        } catch (const std::system_error&) {
            break;  // the machine gives no more threads
        }
    }
}

Crew::~Crew() {
    if (static_cast<int>(getpid()) != process_) {
        // Forked: the threads are in the other process.
        for (auto& member : members_) member.detach();
        return;
    }
    {
        const std::lock_guard<std::mutex> hold(bell_lock_);
        is_over_ = true;
        ++call_;
    }
    bell_.notify_all();
    for (auto& member : members_) member.join();
}

void Crew::serve(int worker) {
    unsigned heard = 0;
    while (true) {
        if (!soon([&] { return call_ != heard; })) {
            std::unique_lock<std::mutex> hold(bell_lock_);
            bell_.wait(hold, [&] { return call_ != heard; });
        }
        heard = call_;
        if (is_over_) return;
        // First in, then a look whether the work is still open: the caller closes it first and then looks who is in.
        ++inside_;
        if (open_ == heard) take_tasks(worker);
        --inside_;
    }
}

void Crew::take_tasks(int worker) {
    try {
        for (std::size_t task = next_++; task < tasks_; task = next_++) (*body_)(task, worker);
    } catch (...) {
        const std::lock_guard<std::mutex> hold(failure_lock_);
        if (!failure_) failure_ = std::current_exception();
        next_ = tasks_;
    }
}

void Crew::run(std::size_t tasks, const std::function<void(std::size_t, int)>& body) {
    std::unique_lock<std::mutex> mine(busy_, std::defer_lock);
    if (tasks <= 1 || members_.empty() || static_cast<int>(getpid()) != process_ || !mine.try_lock()) {
        for (std::size_t task = 0; task < tasks; ++task) body(task, 0);
        return;
    }
    body_ = &body;
    tasks_ = tasks;
    next_ = 0;
    failure_ = nullptr;
    {
        const std::lock_guard<std::mutex> hold(bell_lock_);
        unsigned call = call_ + 1;
        if (call == 0) call = 1;  // 0 means that nothing is open
        open_ = call;
        call_ = call;
    }
    bell_.notify_all();
    take_tasks(0);
    open_ = 0;
    // Who is still in is at a last task; whoever sleeps through the whole work is not waited for.
    while (inside_ > 0) {
        if (!soon([&] { return inside_ == 0; })) std::this_thread::yield();
    }
    if (failure_) std::rethrow_exception(failure_);
}

}  // namespace bayou
