// Threads that are kept waiting for jobs so short that starting threads would take as long as the job itself.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bayou {

class ThreadPool {
  public:
    // `threads` as for usable_threads; the caller of run is one of them.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    // As parallel_for: calls body(task, worker) once for each task below `tasks`, worker < threads(). While the pool
    // runs another caller's job, or in a forked process (which has no such threads), the caller does all tasks alone.
    void run(std::size_t tasks, const std::function<void(std::size_t, int)>& body);

    int threads() const { return static_cast<int>(workers_.size()) + 1; }

  private:
    void wait_for_jobs(int worker);
    void run_tasks(int worker);
    void fail();

    int process_;  // that the threads belong to
    std::mutex busy_;
    std::vector<std::thread> workers_;

    std::mutex wake_lock_;
    std::condition_variable wake_;
    std::atomic<unsigned> job_{0};       // the number of the latest job; also counts up at the end
    std::atomic<unsigned> open_job_{0};  // the job that workers may still join, or 0
    std::atomic<int> active_{0};         // workers that are joining or running tasks
    std::atomic<bool> is_stopping_{false};

    const std::function<void(std::size_t, int)>* body_ = nullptr;
    std::size_t tasks_ = 0;
    std::atomic<std::size_t> next_{0};
    std::mutex failure_lock_;
    std::exception_ptr failure_;
    std::atomic<bool> stopped_{false};
};

// As parallel_for, on threads that the whole process keeps waiting between calls.
void pooled_for(std::size_t tasks, int threads, const std::function<void(std::size_t, int)>& body);

}  // namespace bayou
