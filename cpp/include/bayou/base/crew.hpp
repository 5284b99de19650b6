// Threads that stay and wait: for work so short that starting a thread would take as long as the work.
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

class Crew {
  public:
    // `threads` as for usable_threads; the caller of run is one of them.
    explicit Crew(int threads);
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    // As parallel_for: body(task, worker) once for each task below `tasks`, worker < threads(). Whoever finds the crew
    // at work for somebody else, or is in a process forked off the crew's, does all tasks alone.
    void run(std::size_t tasks, const std::function<void(std::size_t, int)>& body);

    int threads() const { return static_cast<int>(members_.size()) + 1; }

  private:
    void serve(int worker);
    void take_tasks(int worker);

    int process_;  // where the threads are
    std::mutex busy_;
    std::vector<std::thread> members_;

    std::mutex bell_lock_;
    std::condition_variable bell_;
    std::atomic<unsigned> call_{0};  // counts up when there is work (or the end)
    std::atomic<unsigned> open_{0};  // the call whose work may still be joined, or 0
    std::atomic<int> inside_{0};     // members who are joining or at work
    std::atomic<bool> is_over_{false};

    const std::function<void(std::size_t, int)>* body_ = nullptr;
    std::size_t tasks_ = 0;
    std::atomic<std::size_t> next_{0};
    std::mutex failure_lock_;
    std::exception_ptr failure_;
};

}  // namespace bayou
