#include "thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#ifndef _WIN32
#include <pthread.h>
#include <csignal>
#endif

namespace directrank {
namespace {

std::atomic<int> number{1};
thread_local int limit = 0;
thread_local bool is_inside = false;

struct Job {
    thread_pool::Part part;
    const void* context;
    Index n_parts;
    int max_helpers;
    int helpers = 0;  // pool threads working on it
    std::atomic<Index> next{0};
    std::exception_ptr failure{};
    std::mutex failing{};

    bool is_taken() const { return next.load(std::memory_order_relaxed) >= n_parts; }

    void work() {
        is_inside = true;
        for (Index i; (i = next.fetch_add(1, std::memory_order_relaxed)) < n_parts;) {
            try {
                part(context, i);
            } catch (...) {
                std::lock_guard lock(failing);
                if (!failure) failure = std::current_exception();
                next.store(n_parts, std::memory_order_relaxed);
            }
        }
        is_inside = false;
    }
};

class Pool {
  public:
    void run(Job& job) {
        {
            std::lock_guard lock(mutex_);
            if (!start(job.max_helpers)) job.max_helpers = n_threads_;
            jobs_.push_back(&job);
        }
        wake_some(job.max_helpers);
        job.work();
        std::unique_lock lock(mutex_);
        remove(&job);
        done_.wait(lock, [&] { return job.helpers == 0; });
    }

  private:
    // Starts threads until there are `n`; false if the system refuses.
    bool start(int n) {
        while (n_threads_ < n) {
            try {
                const BlockedSignals blocked{};
                std::thread([this] { serve(); }).detach();
            } catch (const std::system_error&) {
                return false;
            }
            ++n_threads_;
        }
        return true;
    }

    // Wakes at most `n` threads: two, which wake others in turn, since each notification takes time.
    void wake_some(int n) {
        for (int i = 0; i < std::min(n, WOKEN); ++i) wake_.notify_one();
    }

    void serve() {
        std::unique_lock lock(mutex_);
        while (true) {
            Job* job = nullptr;
            wake_.wait(lock, [&] { return (job = open_job()) != nullptr; });
            ++job->helpers;
            const bool more_needed = open_job() != nullptr;
            lock.unlock();
            if (more_needed) wake_some(WOKEN);
            job->work();
            lock.lock();
            remove(job);
            if (--job->helpers == 0) done_.notify_all();
        }
    }

    Job* open_job() {
        for (Job* job : jobs_)
            if (job->helpers < job->max_helpers && !job->is_taken()) return job;
        return nullptr;
    }

    void remove(Job* job) { jobs_.erase(std::remove(jobs_.begin(), jobs_.end(), job), jobs_.end()); }

    // Threads inherit the signal mask: Ctrl-C goes to Python's threads; a fault stays with the thread that caused it.
    struct BlockedSignals {
#ifndef _WIN32
        sigset_t before;
        BlockedSignals() {
            sigset_t blocked;
            sigfillset(&blocked);
            for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&blocked, fault);
            pthread_sigmask(SIG_SETMASK, &blocked, &before);
        }
        ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
#endif
    };

    static constexpr int WOKEN = 2;

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::deque<Job*> jobs_;
    int n_threads_ = 0;
};

// Never destroyed: its threads sleep until the process exits.
Pool* pool = new Pool;

#ifndef _WIN32
// A forked child has none of the parent's threads, and one of them may have held a lock.
const int at_fork = pthread_atfork(nullptr, nullptr, [] {
    pool = new Pool;
    is_inside = false;
});
#endif

}  // namespace

int num_threads() { return limit > 0 ? limit : number.load(std::memory_order_relaxed); }

void set_num_threads(int n) {
    if (n < 1) throw std::invalid_argument("the number of threads must be at least 1");
    number.store(n, std::memory_order_relaxed);
}

int set_thread_limit(int n) {
    if (n < 0) throw std::invalid_argument("the number of threads must be at least 1");
    return std::exchange(limit, n);
}

void thread_pool::run(Index n_parts, Part part, const void* context) {
    const auto n_threads = static_cast<int>(std::min<Index>(num_threads(), n_parts));
    if (n_threads <= 1 || is_inside) {
        for (Index i = 0; i < n_parts; ++i) part(context, i);
        return;
    }
    Job job{part, context, n_parts, n_threads - 1};
    pool->run(job);
    if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace directrank
