#include "bayou/base/thread_pool.hpp"

#include <chrono>
#include <memory>
#include <system_error>

#include <unistd.h>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/portable.hpp"
#include "bayou/base/threads.hpp"

namespace bayou {

namespace {

// Searches bring the next job after some microseconds, and waking a sleeping thread takes longer than that.
constexpr std::chrono::microseconds awake{100};

// Waits, without sleeping, for a short while; whether the condition became true.
template <typename Condition>
bool spin_until(const Condition& is_there) {
    const auto until = std::chrono::steady_clock::now() + awake;
    do {
        for (int turn = 0; turn < 64; ++turn) {
            if (is_there()) return true;
            pause_briefly();
        }
    } while (std::chrono::steady_clock::now() < until);
    return is_there();
}

}  // namespace

ThreadPool::ThreadPool(int threads) : process_(static_cast<int>(getpid())) {
    const int wanted = usable_threads(threads);
    workers_.reserve(wanted);
    for (int worker = 1; worker < wanted; ++worker) {
        try {
            workers_.emplace_back([this, worker] { wait_for_jobs(worker); });
        } catch (const std::system_error&) {
            break;  // the machine gives no more threads
        }
    }
}

ThreadPool::~ThreadPool() {
    if (static_cast<int>(getpid()) != process_) {
        // Forked: the threads are in the other process.
        for (std::thread& worker : workers_) worker.detach();
        return;
    }
    {
        const std::lock_guard<std::mutex> hold(wake_lock_);
        is_stopping_ = true;
        ++job_;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::wait_for_jobs(int worker) {
    const StopsWith caller(stopped_);
    unsigned seen = 0;
    while (true) {
        if (!spin_until([&] { return job_ != seen; })) {
            std::unique_lock<std::mutex> hold(wake_lock_);
            wake_.wait(hold, [&] { return job_ != seen; });
        }
        seen = job_;
        if (is_stopping_) return;
        // In this order: the caller closes the job first and then waits until no worker is active.
        ++active_;
        if (open_job_ == seen) run_tasks(worker);
        --active_;
    }
}

void ThreadPool::run_tasks(int worker) {
    try {
        for (std::size_t task = next_++; task < tasks_; task = next_++) {
            if (worker == 0) stop_if_interrupted();
            (*body_)(task, worker);
        }
    } catch (...) {
        fail();
    }
}

// Keeps the exception that is being handled, and stops the other tasks.
void ThreadPool::fail() {
    const std::lock_guard<std::mutex> hold(failure_lock_);
    if (!failure_) failure_ = std::current_exception();
    next_ = tasks_;
    stopped_ = true;
}

void ThreadPool::run(std::size_t tasks, const std::function<void(std::size_t, int)>& body) {
    std::unique_lock<std::mutex> mine(busy_, std::defer_lock);
    if (tasks <= 1 || workers_.empty() || static_cast<int>(getpid()) != process_ || !mine.try_lock()) {
        for (std::size_t task = 0; task < tasks; ++task) body(task, 0);
        return;
    }
    body_ = &body;
    tasks_ = tasks;
    next_ = 0;
    failure_ = nullptr;
    stopped_ = false;
    {
        const std::lock_guard<std::mutex> hold(wake_lock_);
        unsigned job = job_ + 1;
        if (job == 0) job = 1;  // 0 means that no job is open
        open_job_ = job;
        job_ = job;
    }
    wake_.notify_all();
    run_tasks(0);
    open_job_ = 0;
    // Active workers are at their last tasks; workers that slept through the job are not waited for.
    while (active_ > 0) {
        if (spin_until([&] { return active_ == 0; })) break;
        try {
            stop_if_interrupted();
        } catch (...) {
            fail();
        }
        std::this_thread::yield();
    }
    if (failure_) std::rethrow_exception(failure_);
}

namespace {

// The pool of this process for so many threads; null while another thread asks for it. Never destroyed at the end of
// the process, where its threads may be gone already.
std::shared_ptr<ThreadPool> pool_of_process(int threads) {
    static auto& lock = *new std::mutex;
    static auto& pool = *new std::shared_ptr<ThreadPool>;
    static int wanted = 0, process = 0;
    const std::unique_lock<std::mutex> hold(lock, std::try_to_lock);
    if (!hold.owns_lock()) return nullptr;
    const int here = static_cast<int>(getpid());
    if (!pool || wanted != threads || process != here) {
        // After a fork the threads of the old pool are in the other process, and to destroy what they wait for would
        // wait for them: that pool is left alone.
        if (pool && process != here) new std::shared_ptr<ThreadPool>(pool);
        pool = std::make_shared<ThreadPool>(threads);
        wanted = threads;
        process = here;
    }
    return pool;
}

}  // namespace

void pooled_for(std::size_t tasks, int threads, const std::function<void(std::size_t, int)>& body) {
    const int wanted = usable_threads(threads);
    const std::shared_ptr<ThreadPool> pool = tasks > 1 && wanted > 1 ? pool_of_process(wanted) : nullptr;
    if (pool) return pool->run(tasks, body);
    for (std::size_t task = 0; task < tasks; ++task) {
        if (task > 0) stop_if_interrupted();
        body(task, 0);
    }
}

}  // namespace bayou
