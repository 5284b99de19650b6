#include "bayou/base/threads.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "bayou/base/interrupt.hpp"

namespace bayou {

namespace {
constexpr int most_threads = 256;
std::atomic<int> default_threads{0};
}  // namespace

int usable_threads(int requested) {
    if (requested < 0) {
        throw std::invalid_argument("threads is " + std::to_string(requested) +
                                    ": expected 0 (every core) or a positive number");
    }
    if (requested == 0) requested = default_threads.load(std::memory_order_relaxed);
    if (requested > 0) return std::min(requested, most_threads);
    static const unsigned available = std::thread::hardware_concurrency();
    return available == 0 ? 1 : std::min(static_cast<int>(available), most_threads);
}

void set_default_threads(int count) { default_threads.store(count < 0 ? 0 : count, std::memory_order_relaxed); }

void parallel_for(std::size_t tasks, int threads, const std::function<void(std::size_t, int)>& body) {
    const int workers = static_cast<int>(std::min<std::size_t>(tasks, usable_threads(threads)));
    if (workers <= 1) {
        for (std::size_t task = 0; task < tasks; ++task) {
            if (task > 0) stop_if_interrupted();
            body(task, 0);
        }
        return;
    }
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    std::exception_ptr failure;
    std::mutex lock;
    const auto guarded = [&](const auto& run) {
        try {
            run();
        } catch (...) {
            const std::lock_guard<std::mutex> hold(lock);
            if (!failure) failure = std::current_exception();
            next = tasks;
            stopped = true;
        }
    };
    const auto work = [&](int worker) {
        guarded([&] {
            for (std::size_t task = next++; task < tasks; task = next++) {
                stop_if_interrupted();
                body(task, worker);
            }
        });
    };
    int running = 0;
    std::condition_variable ended;
    const auto work_in_thread = [&](int worker) {
        const StopsWith caller(stopped);
        work(worker);
        const std::lock_guard<std::mutex> hold(lock);
        --running;
        ended.notify_one();
    };
    std::vector<std::thread> others;
    others.reserve(workers - 1);
    for (int worker = 1; worker < workers; ++worker) {
        try {
            {
                const std::lock_guard<std::mutex> hold(lock);
                ++running;
            }
            others.emplace_back(work_in_thread, worker);
        } catch (const std::system_error&) {
            const std::lock_guard<std::mutex> hold(lock);
            --running;
            break;  // the machine gives no more threads: those that run take all the tasks
        }
    }
    work(0);
    // Others may be at long tasks: the caller goes on asking whether to stop them.
    while (Interruptible::here() && !stopped) {
        {
            std::unique_lock<std::mutex> hold(lock);
            if (ended.wait_for(hold, std::chrono::milliseconds(100), [&] { return running == 0; })) break;
        }
        guarded([] { stop_if_interrupted(); });
    }
    for (auto& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace bayou
