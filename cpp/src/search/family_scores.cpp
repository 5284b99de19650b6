#include "bayou/search/family_scores.hpp"

#include <algorithm>
#include <numeric>

#include "bayou/base/threads.hpp"
#include "candidate_counts.hpp"

namespace bayou {

namespace {

constexpr double worth_a_thread = 300e3;   // nanoseconds of work below which one thread is faster
constexpr double worth_a_call = 30e3;      // the same for threads that are already waiting
constexpr std::size_t most_together = 16;  // candidates for which a tile of the masks is read once

}  // namespace

struct ScoringScratch {
    RowPartition partition;
    CandidateCounts counts;
};

struct FamilyScorer::Group {
    std::size_t child;
    std::vector<std::size_t> parents;
    std::vector<std::size_t> candidates;
    std::vector<std::size_t> places;  // of the scores
};

FamilyScorer::FamilyScorer(const std::vector<CodeColumn>& columns, int threads)
    : data_(columns, threads), formulas_(data_.rows), threads_(usable_threads(threads)) {}

FamilyScorer::~FamilyScorer() = default;

std::unique_ptr<ScoringScratch> FamilyScorer::acquire_scratch() const {
    const std::lock_guard<std::mutex> hold(scratch_lock_);
    if (idle_scratch_.empty()) return std::make_unique<ScoringScratch>();
    std::unique_ptr<ScoringScratch> scratch = std::move(idle_scratch_.back());
    idle_scratch_.pop_back();
    return scratch;
}

void FamilyScorer::release_scratch(std::unique_ptr<ScoringScratch> scratch) const {
    const std::lock_guard<std::mutex> hold(scratch_lock_);
    idle_scratch_.push_back(std::move(scratch));
}

ThreadPool& FamilyScorer::pool() const {
    std::call_once(pool_made_, [&] { pool_ = std::make_unique<ThreadPool>(threads_); });
    return *pool_;
}

double FamilyScorer::configurations(const std::vector<std::size_t>& parents) const {
    double product = 1;
    for (const std::size_t parent : parents) product *= data_.columns[parent].card;
    return product;
}

double FamilyScorer::alone(std::size_t child, const ScoreRule& rule) const {
    const PlaneColumn& column = data_.columns[child];
    std::vector<std::uint32_t> cells;
    std::uint32_t total = 0;
    for (const std::uint32_t n : column.margin) {
        if (n > 0) cells.push_back(n);
        total += n;
    }
    return formulas_.score(rule, {cells.data(), cells.size(), &total, std::size_t{total > 0}, 1.0, column.card});
}

// Sets with more rows than this are counted by planes for every candidate.
std::size_t FamilyScorer::most_listed(const std::vector<std::size_t>& candidates) const {
    std::uint32_t states = 0;
    for (const std::size_t candidate : candidates) states = std::max(states, data_.columns[candidate].card);
    if (states > most_plane_states) return data_.rows;
    return static_cast<std::size_t>(states * plane_cost(data_.words) / listed_row_cost);
}

// Nanoseconds, roughly, to count all candidates against the partition.
double FamilyScorer::cost(const RowPartition& partition, const std::vector<std::size_t>& candidates) const {
    double states = 0;
    for (const std::size_t candidate : candidates) states += data_.columns[candidate].card;
    double total = 0;
    for (const RowSet& set : partition.sets()) {
        const double listed = candidates.size() * set.count * listed_row_cost;
        total += 5 * states + (set.mask ? std::min(states * plane_cost(data_.words), listed) : listed);
    }
    return total;
}

void FamilyScorer::score_group(const Group& group, const ScoreRule& rule, double* scores, bool may_share) const {
    std::vector<std::size_t> members = group.parents;
    // Columns without planes come last: from there on rows are in lists.
    std::stable_partition(members.begin(), members.end(),
                          [&](std::size_t member) { return data_.columns[member].has_planes(); });
    members.push_back(group.child);
    std::unique_ptr<ScoringScratch> scratch = acquire_scratch();
    const RowPartition& partition = scratch->partition;
    scratch->partition.divide(data_, members, most_listed(group.candidates));

    const bool shared = may_share && threads_ > 1 && cost(partition, group.candidates) > worth_a_call;
    const std::size_t share = group.candidates.size() / (shared ? 2 * threads_ : 1) + 1;
    const std::size_t chunk = std::min(most_together, share);
    const std::size_t chunks = (group.candidates.size() + chunk - 1) / chunk;
    std::vector<std::unique_ptr<ScoringScratch>> others(shared ? threads_ : 1);
    const auto score = [&](std::size_t at, int worker) {
        if (worker > 0 && !others[worker]) others[worker] = acquire_scratch();
        CandidateCounts& counts = worker > 0 ? others[worker]->counts : scratch->counts;
        const std::size_t begin = at * chunk;
        score_chunk(group, partition, begin, std::min(begin + chunk, group.candidates.size()), rule, counts, scores);
    };
    if (shared) {
        pool().run(chunks, score);
    } else {
        for (std::size_t at = 0; at < chunks; ++at) score(at, 0);
    }
    for (auto& other : others) {
        if (other) release_scratch(std::move(other));
    }
    release_scratch(std::move(scratch));
}

void FamilyScorer::score_chunk(const Group& group, const RowPartition& partition, std::size_t begin, std::size_t end,
                               const ScoreRule& rule, CandidateCounts& counts, double* scores) const {
    const double base = configurations(group.parents);
    const std::uint32_t states = data_.columns[group.child].card;
    CandidateCounts::Columns columns;
    for (std::size_t at = begin; at < end; ++at) columns.push_back(&data_.columns[group.candidates[at]]);
    counts.prepare(data_, partition, columns);
    for (std::size_t at = begin; at < end; ++at) {
        counts.count(data_, partition, at - begin);
        scores[group.places[at]] =
            formulas_.score(rule, {counts.cells(), counts.n_cells(), counts.sums(), counts.n_sums(),
                                   base * columns[at - begin]->card, states});
    }
}

std::vector<FamilyScorer::Group> FamilyScorer::grouped(const std::int64_t* children, std::size_t count,
                                                       const std::int64_t* offsets,
                                                       const std::int64_t* parents) const {
    std::vector<Group> groups;
    for (std::size_t at = 0; at < count; ++at) {
        const std::int64_t *begin = parents + offsets[at], *end = parents + offsets[at + 1];
        if (begin == end) continue;
        const auto child = static_cast<std::size_t>(children[at]);
        const bool again = !groups.empty() && groups.back().child == child &&
                           std::equal(begin, end - 1, groups.back().parents.begin(), groups.back().parents.end());
        if (!again) groups.push_back({child, {begin, end - 1}, {}, {}});
        groups.back().candidates.push_back(static_cast<std::size_t>(end[-1]));
        groups.back().places.push_back(at);
    }
    return groups;
}

void FamilyScorer::families(const std::int64_t* children, std::size_t count, const std::int64_t* offsets,
                            const std::int64_t* parents, const ScoreRule& rule, double* scores) const {
    for (std::size_t at = 0; at < count; ++at) {
        if (offsets[at] == offsets[at + 1]) scores[at] = alone(static_cast<std::size_t>(children[at]), rule);
    }
    const std::vector<Group> groups = grouped(children, count, offsets, parents);
    // Many groups: one thread each. Few groups: the candidates of each are divided among the threads.
    const double rough = static_cast<double>(count) * (500.0 + data_.rows);
    const bool many = groups.size() >= 2 * static_cast<std::size_t>(threads_) && rough > worth_a_thread;
    parallel_for(groups.size(), many ? threads_ : 1, [&](std::size_t at, int) {
        score_group(groups[at], rule, scores, !many);
    });
}

void FamilyScorer::additions(std::size_t child, const std::vector<std::size_t>& parents,
                             const std::vector<std::size_t>& candidates, const ScoreRule& rule,
                             double* scores) const {
    if (candidates.empty()) return;
    Group group{child, parents, candidates, {}};
    for (std::size_t at = 0; at < candidates.size(); ++at) group.places.push_back(at);
    score_group(group, rule, scores, true);
}

void FamilyScorer::pairs(const ScoreRule& rule, double* scores) const {
    const std::size_t n = size();
    const double rough = static_cast<double>(n) * n * (200.0 + 0.05 * data_.rows);
    parallel_for(n, rough > worth_a_thread ? threads_ : 1, [&](std::size_t first, int) {
        scores[first * n + first] = alone(first, rule);
        std::vector<std::size_t> others(n - first - 1);
        std::iota(others.begin(), others.end(), first + 1);
        std::unique_ptr<ScoringScratch> scratch = acquire_scratch();
        scratch->partition.divide(data_, {first}, most_listed(others));
        for (std::size_t begin = first + 1; begin < n; begin += most_together) {
            score_pairs(first, begin, std::min(begin + most_together, n), rule, *scratch, scores);
        }
        release_scratch(std::move(scratch));
    });
}

void FamilyScorer::score_pairs(std::size_t first, std::size_t begin, std::size_t end, const ScoreRule& rule,
                               ScoringScratch& scratch, double* scores) const {
    const std::size_t n = size();
    const std::uint32_t states = data_.columns[first].card;
    CandidateCounts& counts = scratch.counts;
    CandidateCounts::Columns columns;
    for (std::size_t second = begin; second < end; ++second) columns.push_back(&data_.columns[second]);
    counts.prepare(data_, scratch.partition, columns);
    for (std::size_t second = begin; second < end; ++second) {
        // One table serves both directions.
        const std::uint32_t others = data_.columns[second].card;
        counts.count(data_, scratch.partition, second - begin);
        const FamilyCounts forward{counts.cells(), counts.n_cells(), counts.sums(), counts.n_sums(),
                                   static_cast<double>(others), states};
        const FamilyCounts backward{counts.cells(), counts.n_cells(), counts.set_sums(), counts.n_set_sums(),
                                    static_cast<double>(states), others};
        scores[second * n + first] = formulas_.score(rule, forward);
        scores[first * n + second] = formulas_.score(rule, backward);
    }
}

}  // namespace bayou
