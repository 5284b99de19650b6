#include "bayou/inference/row_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"
#include "bayou/base/underflow.hpp"

namespace bayou {

namespace {

constexpr double most_table_entries = 1 << 22;
constexpr std::size_t rows_of_a_task = 128;
constexpr double most_combinations = 1 << 13, most_remembered = 1 << 16;
constexpr double most_remembered_in_all = 1 << 20;  // numbers, of a thread
}  // namespace

RowPlan::RowPlan(const std::vector<std::uint32_t>& cards, const std::vector<PlanFactor>& factors,
                 std::uint32_t target)
    : cards_(cards), target_(target) {
    std::vector<std::vector<std::uint32_t>> scopes;
    for (const PlanFactor& factor : factors) scopes.push_back(factor.scope);
    std::vector<char> late(cards.size(), 0);
    late[target] = 1;
    CliqueTree tree = clique_tree(cards, scopes, elimination_order(cards, scopes, {target}), late);
    limit_children(tree, cards);
    double entries = 0;
    for (const Clique& clique : tree.cliques) entries += clique.entries;
    if (entries > most_table_entries) throw std::length_error("tables too large to be kept for rows");
    std::vector<std::size_t> starts;
    for (const Clique& clique : tree.cliques) {
        starts.push_back(messages_);
        std::size_t size = 1;
        for (const std::uint32_t variable : clique.separator) size *= cards[variable];
        messages_ += size;
    }
    answer_ = messages_;
    messages_ += cards[target];
    forget_underflow();
    for (std::size_t at = 0; at < tree.cliques.size(); ++at) make_clique(tree, at, factors, starts);
    tables_underflowed_ = has_underflowed();
    make_tasks(tree);
}

// Chooses the largest subtrees whose findings have few combinations: their messages are cached.
void RowPlan::make_tasks(const CliqueTree& tree) {
    const std::size_t count = cliques_.size();
    std::vector<std::vector<std::uint32_t>> variables(count), members(count);
    std::vector<double> combinations(count, 1);
    for (std::size_t at = 0; at < count; ++at) {
        std::vector<std::uint32_t>& all = variables[at];
        all = tree.cliques[at].scope;
        for (const std::uint32_t child : tree.cliques[at].children) {
            all.insert(all.end(), variables[child].begin(), variables[child].end());
            members[at].insert(members[at].end(), members[child].begin(), members[child].end());
        }
        members[at].push_back(static_cast<std::uint32_t>(at));
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        for (const std::uint32_t variable : all) combinations[at] *= cards_[variable] + 1.0;
    }
    std::vector<char> inside(count, 0), remembered(count, 0);
    for (std::size_t at = count; at-- > 0;) {
        const std::int32_t parent = tree.cliques[at].parent;
        inside[at] = parent >= 0 && (inside[parent] || remembered[parent]);
        const double numbers = combinations[at] * (static_cast<double>(cliques_[at].message_size) + 1);
        if (inside[at] || at == root_ || combinations[at] > most_combinations || numbers > most_remembered ||
            remembered_ + numbers > most_remembered_in_all) {
            continue;
        }
        remembered[at] = 1;
        remembered_ += numbers;
    }
    for (std::size_t at = 0; at < count; ++at) {
        if (inside[at]) continue;
        Task& task = tasks_.emplace_back();
        task.clique = static_cast<std::uint32_t>(at);
        if (!remembered[at]) continue;
        task.members = std::move(members[at]);
        task.variables = std::move(variables[at]);
        task.combinations = static_cast<std::size_t>(combinations[at]);
        std::uint32_t factor = 1;
        for (const std::uint32_t variable : task.variables) {
            task.factors.push_back(factor);
            factor *= cards_[variable] + 1;
        }
    }
}

void RowPlan::make_clique(const CliqueTree& tree, std::size_t at, const std::vector<PlanFactor>& factors,
                          const std::vector<std::size_t>& starts) {
    const Clique& of = tree.cliques[at];
    const auto has = [](const std::vector<std::uint32_t>& scope, std::uint32_t variable) {
        return std::find(scope.begin(), scope.end(), variable) != scope.end();
    };
    const bool is_root = of.parent < 0 && has(of.scope, target_);
    if (is_root) root_ = static_cast<std::uint32_t>(at);
    const std::vector<std::uint32_t> passed = is_root ? std::vector{target_} : of.separator;
    std::vector<std::uint32_t> scope = passed;
    for (const std::uint32_t variable : of.scope) {
        if (!has(passed, variable)) scope.push_back(variable);
    }
    CliqueLayout& clique = cliques_.emplace_back(clique_layout(tree, at, scope, passed, cards_, {}));
    clique.message = is_root ? answer_ : starts[at];
    clique.table = tables_.size();
    offsets_ += clique.offsets.size();
    fill_table(clique, of, factors);
}

// The product of the clique's factors, for every entry.
void RowPlan::fill_table(const CliqueLayout& clique, const Clique& of, const std::vector<PlanFactor>& factors) {
    const auto size = static_cast<std::size_t>(of.entries);
    tables_.resize(clique.table + size, 1.0);
    double* table = tables_.data() + clique.table;
    for (const std::uint32_t number : of.factors) {
        const double* from = factors[number].table;
        for_each_entry(clique.scope, factors[number].scope, cards_, size,
                       [&](std::size_t entry, std::ptrdiff_t place) { table[entry] *= from[place]; });
    }
}

double RowPlan::expected_entries(const std::vector<double>& missing) const {
    double total = 0;
    for (const CliqueLayout& clique : cliques_) total += clique.expected_entries(cards_, missing);
    return total;
}

namespace {

constexpr std::size_t most_open = 32;  // variables of more than one state in a clique: tables have fewer entries

// Calls take(i, product of all tables at the i-th state of the fastest open variable), for each of its states.
template <class Take>
inline void for_fastest(const CliqueCursor& cursor, const double* const* from, std::size_t inputs, const Take& take) {
    const OpenVariable& digit = cursor.open[cursor.count - 1];
    const std::int32_t *at = cursor.here.at, *step = digit.step->at;
    const double *a = from[0] + at[0], *b = inputs > 0 ? from[1] + at[1] : nullptr;
    const std::int32_t a_step = step[0], b_step = step[1];
    if (inputs == 0) {
        for (std::uint32_t i = 0; i < digit.size; ++i, a += a_step) take(i, *a);
    } else if (inputs == 1) {
        for (std::uint32_t i = 0; i < digit.size; ++i, a += a_step, b += b_step) take(i, *a * *b);
    } else {
        for (std::uint32_t i = 0; i < digit.size; ++i, a += a_step, b += b_step) {
            double value = *a * *b;
            for (std::size_t k = 2; k <= inputs; ++k) {
                value *= from[k][at[k] + static_cast<std::int32_t>(i) * step[k]];
            }
            take(i, value);
        }
    }
}

}  // namespace

// Sums the entries that agree with the row, for every state of the separator that does; returns the largest sum.
double RowPlan::run_clique(const CliqueLayout& clique, RowWorkspace& work) const {
    const std::size_t inputs = clique.children.size();
    const double* from[Offsets::width];
    from[0] = tables_.data() + clique.table;
    for (std::size_t k = 0; k < inputs; ++k) from[k + 1] = work.inputs[clique.children[k]];
    double* out = work.messages.data() + clique.message;
    OpenVariable open[most_open];
    CliqueCursor cursor;
    cursor.open = open;
    cursor.start(clique, work.codes.data(), cards_);
    const std::int32_t& place = cursor.here.at[inputs + 1];
    if (cursor.count == 0) {
        double value = from[0][cursor.here.at[0]];
        for (std::size_t k = 1; k <= inputs; ++k) value *= from[k][cursor.here.at[k]];
        out[place] = value;
        return value;
    }
    double largest = 0;
    if (cursor.passed == cursor.count) {
        const std::int32_t step = cursor.open[cursor.count - 1].step->at[inputs + 1];
        do {
            for_fastest(cursor, from, inputs, [&](std::uint32_t i, double value) {
                out[place + static_cast<std::int32_t>(i) * step] = value;
                largest = std::max(largest, value);
            });
        } while (cursor.advance(0, cursor.count - 1));
        return largest;
    }
    do {
        double sum = 0;
        do {
            for_fastest(cursor, from, inputs, [&](std::uint32_t, double value) { sum += value; });
        } while (cursor.advance(cursor.passed, cursor.count - 1));
        out[place] = sum;
        largest = std::max(largest, sum);
    } while (cursor.advance(0, cursor.passed));
    return largest;
}

// Runs a clique, scales its message where it is very small, and returns the log of the scale; minus infinity: the row is
// impossible.
double RowPlan::run_scaled(std::uint32_t number, RowWorkspace& work) const {
    const CliqueLayout& clique = cliques_[number];
    const double largest = run_clique(clique, work);
    if (!(largest > 0)) return -std::numeric_limits<double>::infinity();
    if (clique.is_top) return number == root_ ? 0.0 : std::log(largest);
    if (largest > small_message) return 0.0;
    double* message = work.messages.data() + clique.message;
    for (std::size_t i = 0; i < clique.message_size; ++i) message[i] /= largest;
    return std::log(largest);
}

double RowPlan::run_members(const Task& task, RowWorkspace& work) const {
    double log = 0;
    for (const std::uint32_t member : task.members) log += run_scaled(member, work);
    return log;
}

double RowPlan::remembered_message(const Task& task, SubtreeMemory& memory, RowWorkspace& work) const {
    if (memory.logs.empty()) return run_members(task, work);
    std::size_t combination = 0;
    for (std::size_t k = 0; k < task.variables.size(); ++k) {
        const std::uint32_t variable = task.variables[k];
        combination += std::size_t{task.factors[k]} * std::min(work.codes[variable], cards_[variable]);
    }
    const CliqueLayout& clique = cliques_[task.clique];
    double* message = memory.messages.data() + combination * clique.message_size;
    work.inputs[task.clique] = message;
    double& log = memory.logs[combination];
    if (!std::isnan(log)) return log;
    const double made_log = run_members(task, work);
    const double* made = work.messages.data() + clique.message;
    std::copy(made, made + clique.message_size, message);
    // A message that has underflowed is made anew every time, so that every row that uses it notices.
    if (!has_underflowed()) log = made_log;
    return made_log;
}

// log P(findings) of the row whose codes are in the workspace, without the sum of the target's weights.
// `before_underflow` takes what it was before the first step that underflowed.
double RowPlan::run_row(RowWorkspace& work, double* before_underflow) const {
    double log = 0;
    bool underflowed = tables_underflowed_;
    if (before_underflow) *before_underflow = 0;
    for (std::size_t at = 0; at < tasks_.size(); ++at) {
        const Task& task = tasks_[at];
        const double more =
            task.members.empty() ? run_scaled(task.clique, work) : remembered_message(task, work.memories[at], work);
        if (before_underflow && !underflowed) {
            underflowed = has_underflowed();
            *before_underflow = log;
        }
        log += more;
        if (log == -std::numeric_limits<double>::infinity()) return log;
    }
    return log;
}

// Whether something that underflowed in this row may matter: its log P has fallen far since then.
bool RowPlan::is_doubtful(double log, RowWorkspace& work) const {
    if (log > safe_log || !(tables_underflowed_ || has_underflowed())) return false;
    double before_underflow = 0;
    forget_underflow();
    run_row(work, &before_underflow);
    return !(log - before_underflow > safe_log);
}

void RowPlan::prepare(RowWorkspace& work, std::size_t rows) const {
    work.messages.resize(messages_);
    work.codes.assign(cards_.size(), not_known);
    for (const CliqueLayout& clique : cliques_) work.inputs.push_back(work.messages.data() + clique.message);
    for (const Task& task : tasks_) {
        SubtreeMemory& memory = work.memories.emplace_back();
        // Few rows seldom have the same combination twice: a cache is not worth its memory.
        if (task.combinations / 4 > rows) continue;
        memory.messages.resize(task.combinations * cliques_[task.clique].message_size);
        memory.logs.assign(task.combinations, std::numeric_limits<double>::quiet_NaN());
    }
}

void RowPlan::run(const std::vector<CodeColumn>& columns, const std::vector<std::uint32_t>& variables,
                  std::size_t rows, double* answers, double* log_evidence, int threads) const {
    const std::size_t states = cards_[target_];
    threads = usable_threads(threads);  // once: the default may change meanwhile
    std::vector<std::unique_ptr<RowWorkspace>> workspaces(static_cast<std::size_t>(threads));
    parallel_for((rows + rows_of_a_task - 1) / rows_of_a_task, threads, [&](std::size_t task, int worker) {
        auto& own = workspaces[static_cast<std::size_t>(worker)];
        if (!own) {
            own = std::make_unique<RowWorkspace>();
            prepare(*own, rows);
        }
        const std::size_t first = task * rows_of_a_task, last = std::min(rows, first + rows_of_a_task);
        for (std::size_t row = first; row < last; ++row) {
            if (row % 16 == 0) stop_if_interrupted();
            for (std::size_t k = 0; k < columns.size(); ++k) {
                const std::uint32_t code = columns[k].at(row);
                const bool known = code != columns[k].missing();
                if (known && code >= columns[k].card) report_bad_code(columns[k], first, last - first);
                own->codes[variables[k]] = known ? code : not_known;
            }
            forget_underflow();
            double log = run_row(*own);
            const double* weights = own->messages.data() + answer_;
            double total = 0;
            for (std::size_t i = 0; i < states; ++i) total += weights[i];
            log += std::log(total);
            if (is_doubtful(log, *own)) log = std::numeric_limits<double>::quiet_NaN();
            log_evidence[row] = log;
            const bool possible = std::isfinite(log);
            for (std::size_t i = 0; i < states; ++i) {
                answers[row * states + i] = possible ? weights[i] / total : std::numeric_limits<double>::quiet_NaN();
            }
        }
    });
}

}  // namespace bayou
