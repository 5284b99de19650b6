#include "bayou/row_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "bayou/threads.hpp"

namespace bayou {

namespace {

constexpr double most_table_entries = 1 << 22;
constexpr std::size_t rows_of_a_task = 128;
constexpr double most_combinations = 1 << 13, most_remembered = 1 << 16;
constexpr double most_remembered_in_all = 1 << 20;  // numbers, of a thread
// A message with smaller numbers is scaled up: six of them in one product must not underflow.
constexpr double small_message = 1e-30;

// How far one step along each variable of `scope` moves in a table over `axes` (the last is contiguous).
std::vector<std::int32_t> strides_in(const std::vector<std::uint32_t>& scope, const std::vector<std::uint32_t>& axes,
                                     const std::vector<std::uint32_t>& cards) {
    std::vector<std::int32_t> strides(scope.size(), 0);
    std::int32_t stride = 1;
    for (std::size_t axis = axes.size(); axis-- > 0;) {
        const auto at = std::find(scope.begin(), scope.end(), axes[axis]);
        if (at != scope.end()) strides[static_cast<std::size_t>(at - scope.begin())] = stride;
        stride *= static_cast<std::int32_t>(cards[axes[axis]]);
    }
    return strides;
}

}  // namespace

RowPlan::RowPlan(const std::vector<std::uint32_t>& cards, const std::vector<PlanFactor>& factors,
                 std::uint32_t target)
    : cards_(cards), target_(target) {
    std::vector<std::vector<std::uint32_t>> scopes;
    for (const PlanFactor& factor : factors) scopes.push_back(factor.scope);
    std::vector<char> late(cards.size(), 0);
    late[target] = 1;
    CliqueTree tree = clique_tree(cards, scopes, elimination_order(cards, scopes, {target}), late);
    thin_out(tree, cards);
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
    for (std::size_t at = 0; at < tree.cliques.size(); ++at) make_clique(tree, at, factors, starts);
    make_tasks(tree);
}

// The largest subtrees whose findings have few combinations are remembered.
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
        const double numbers = combinations[at] * (static_cast<double>(cliques_[at].size) + 1);
        if (inside[at] || cliques_[at].is_root || combinations[at] > most_combinations || numbers > most_remembered ||
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
    RowClique clique;
    clique.is_top = of.parent < 0;
    clique.is_root = clique.is_top && std::find(of.scope.begin(), of.scope.end(), target_) != of.scope.end();
    const std::vector<std::uint32_t> passed = clique.is_root ? std::vector{target_} : of.separator;
    clique.scope = passed;
    clique.kept = passed.size();
    for (const std::uint32_t variable : of.scope) {
        if (std::find(passed.begin(), passed.end(), variable) == passed.end()) clique.scope.push_back(variable);
    }
    clique.output = clique.is_root ? answer_ : starts[at];
    for (const std::uint32_t variable : passed) clique.size *= cards_[variable];
    std::vector<std::vector<std::int32_t>> strides{strides_in(clique.scope, clique.scope, cards_)};
    for (const std::uint32_t child : of.children) {
        clique.inputs.push_back(child);
        strides.push_back(strides_in(clique.scope, tree.cliques[child].separator, cards_));
    }
    strides.push_back(strides_in(clique.scope, passed, cards_));
    if (strides.size() > width) throw std::logic_error("a clique of this plan has too many children");
    for (std::size_t k = 0; k < clique.scope.size(); ++k) {
        const std::size_t states = cards_[clique.scope[k]];
        clique.places.push_back(places_.size());
        places_.resize(places_.size() + states, Places{});
        Places* places = places_.data() + clique.places.back();
        for (std::size_t state = 0; state < states; ++state) {
            for (std::size_t which = 0; which < strides.size(); ++which) {
                places[state].at[which] = static_cast<std::int32_t>(state) * strides[which][k];
            }
        }
    }
    fill_table(clique, of, factors);
    cliques_.push_back(std::move(clique));
}

// The product of the factors that live in the clique, for every entry.
void RowPlan::fill_table(RowClique& clique, const Clique& of, const std::vector<PlanFactor>& factors) {
    clique.table = tables_.size();
    const auto size = static_cast<std::size_t>(of.entries);
    tables_.resize(clique.table + size, 1.0);
    double* table = tables_.data() + clique.table;
    std::vector<std::uint32_t> index(clique.scope.size());
    for (const std::uint32_t number : of.factors) {
        const PlanFactor& factor = factors[number];
        const std::vector<std::int32_t> strides = strides_in(clique.scope, factor.scope, cards_);
        std::fill(index.begin(), index.end(), 0);
        const double* from = factor.table;
        for (std::size_t entry = 0; entry < size; ++entry) {
            table[entry] *= *from;
            for (std::size_t k = index.size(); k-- > 0;) {
                from += strides[k];
                if (++index[k] < cards_[clique.scope[k]]) break;
                from -= strides[k] * static_cast<std::ptrdiff_t>(index[k]);
                index[k] = 0;
            }
        }
    }
}

double RowPlan::expected_entries(const std::vector<double>& missing) const {
    double total = 0;
    for (const RowClique& clique : cliques_) {
        double entries = 1;
        for (const std::uint32_t variable : clique.scope) {
            entries *= 1 + missing[variable] * (cards_[variable] - 1.0);
        }
        total += entries;
    }
    return total;
}

namespace {

// The variables of a clique that a row leaves open, and where it stands in each table.
template <class Places>
struct Stand {
    struct Open {
        const Places *step, *all;  // one state on; from the first to the last
        std::uint32_t left, size;
    };
    Places here{};
    Open open[32];
    std::size_t count = 0, kept = 0;

    void move(const Places& by, std::int32_t sign) {
        for (std::size_t k = 0; k < std::size(here.at); ++k) here.at[k] += sign * by.at[k];
    }

    // Goes on to the next state of the variables in [first, last), the last one fastest; false after the last.
    bool advance(std::size_t first, std::size_t last) {
        for (; last > first; --last) {
            Open& digit = open[last - 1];
            if (--digit.left > 0) {
                move(*digit.step, 1);
                return true;
            }
            digit.left = digit.size;
            move(*digit.all, -1);
        }
        return false;
    }
};

// Calls take(i, product of all tables at the i-th state of the fastest open variable), for each of its states.
template <class Places, class Take>
inline void for_fastest(const Stand<Places>& stand, const double* const* from, std::size_t inputs,
                        const Take& take) {
    const auto& digit = stand.open[stand.count - 1];
    const std::int32_t *at = stand.here.at, *step = digit.step->at;
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

// Sums the entries that agree with the row, for every state of what is passed on that does; returns the largest.
double RowPlan::run_clique(const RowClique& clique, Desk& desk) const {
    const std::size_t inputs = clique.inputs.size();
    const double* from[width];
    from[0] = tables_.data() + clique.table;
    for (std::size_t k = 0; k < inputs; ++k) from[k + 1] = desk.inputs[clique.inputs[k]];
    double* out = desk.messages.data() + clique.output;
    Stand<Places> stand;
    for (std::size_t k = 0; k < clique.scope.size(); ++k) {
        const std::uint32_t code = desk.codes[clique.scope[k]];
        const Places* places = places_.data() + clique.places[k];
        if (code != UINT32_MAX) {
            stand.move(places[code], 1);
        } else if (const std::uint32_t size = cards_[clique.scope[k]]; size > 1) {
            stand.open[stand.count++] = {places + 1, places + size - 1, size, size};
            stand.kept += k < clique.kept;
        }
    }
    const std::int32_t& place = stand.here.at[inputs + 1];
    if (stand.count == 0) {
        double value = from[0][stand.here.at[0]];
        for (std::size_t k = 1; k <= inputs; ++k) value *= from[k][stand.here.at[k]];
        out[place] = value;
        return value;
    }
    double largest = 0;
    if (stand.kept == stand.count) {
        const std::int32_t step = stand.open[stand.count - 1].step->at[inputs + 1];
        do {
            for_fastest(stand, from, inputs, [&](std::uint32_t i, double value) {
                out[place + static_cast<std::int32_t>(i) * step] = value;
                largest = std::max(largest, value);
            });
        } while (stand.advance(0, stand.count - 1));
        return largest;
    }
    do {
        double sum = 0;
        do {
            for_fastest(stand, from, inputs, [&](std::uint32_t, double value) { sum += value; });
        } while (stand.advance(stand.kept, stand.count - 1));
        out[place] = sum;
        largest = std::max(largest, sum);
    } while (stand.advance(0, stand.kept));
    return largest;
}

// Runs a clique and says by what log its message was scaled; minus infinity: impossible.
double RowPlan::run_scaled(std::uint32_t number, Desk& desk) const {
    const RowClique& clique = cliques_[number];
    const double largest = run_clique(clique, desk);
    if (!(largest > 0)) return -std::numeric_limits<double>::infinity();
    if (clique.is_top) return clique.is_root ? 0.0 : std::log(largest);
    if (largest > small_message) return 0.0;
    double* message = desk.messages.data() + clique.output;
    for (std::size_t i = 0; i < clique.size; ++i) message[i] /= largest;
    return std::log(largest);
}

double RowPlan::run_members(const Task& task, Desk& desk) const {
    double log = 0;
    for (const std::uint32_t member : task.members) log += run_scaled(member, desk);
    return log;
}

double RowPlan::recall(const Task& task, Memory& memory, Desk& desk) const {
    if (memory.logs.empty()) return run_members(task, desk);
    std::size_t combination = 0;
    for (std::size_t k = 0; k < task.variables.size(); ++k) {
        const std::uint32_t variable = task.variables[k];
        combination += std::size_t{task.factors[k]} * std::min(desk.codes[variable], cards_[variable]);
    }
    const RowClique& clique = cliques_[task.clique];
    double* message = memory.messages.data() + combination * clique.size;
    desk.inputs[task.clique] = message;
    double& log = memory.logs[combination];
    if (std::isnan(log)) {
        log = run_members(task, desk);
        const double* made = desk.messages.data() + clique.output;
        std::copy(made, made + clique.size, message);
    }
    return log;
}

// log P(findings) of the row whose codes lie on the desk, without the sum of the target's weights.
double RowPlan::run_row(Desk& desk) const {
    double log = 0;
    for (std::size_t at = 0; at < tasks_.size(); ++at) {
        const Task& task = tasks_[at];
        log += task.members.empty() ? run_scaled(task.clique, desk) : recall(task, desk.memories[at], desk);
        if (log == -std::numeric_limits<double>::infinity()) return log;
    }
    return log;
}

void RowPlan::open_desk(Desk& desk, std::size_t rows) const {
    desk.messages.resize(messages_);
    desk.codes.assign(cards_.size(), UINT32_MAX);
    for (const RowClique& clique : cliques_) desk.inputs.push_back(desk.messages.data() + clique.output);
    for (const Task& task : tasks_) {
        Memory& memory = desk.memories.emplace_back();
        // A few rows seldom meet a combination twice: not worth the memory.
        if (task.combinations / 4 > rows) continue;
        memory.messages.resize(task.combinations * cliques_[task.clique].size);
        memory.logs.assign(task.combinations, std::numeric_limits<double>::quiet_NaN());
    }
}

void RowPlan::run(const std::vector<CodeColumn>& columns, const std::vector<std::uint32_t>& variables,
                  std::size_t rows, double* answers, double* log_evidence, int threads) const {
    const std::size_t states = cards_[target_];
    std::vector<std::unique_ptr<Desk>> desks(static_cast<std::size_t>(usable_threads(threads)));
    parallel_for((rows + rows_of_a_task - 1) / rows_of_a_task, threads, [&](std::size_t task, int worker) {
        auto& own = desks[static_cast<std::size_t>(worker)];
        if (!own) {
            own = std::make_unique<Desk>();
            open_desk(*own, rows);
        }
        const std::size_t first = task * rows_of_a_task, last = std::min(rows, first + rows_of_a_task);
        for (std::size_t row = first; row < last; ++row) {
            for (std::size_t k = 0; k < columns.size(); ++k) {
                const std::uint32_t code = columns[k].at(row);
                const bool known = code != columns[k].missing();
                if (known && code >= columns[k].card) report_bad_code(columns[k], first, last - first);
                own->codes[variables[k]] = known ? code : UINT32_MAX;
            }
            log_evidence[row] = run_row(*own);
            const double* weights = own->messages.data() + answer_;
            double total = 0;
            for (std::size_t i = 0; i < states; ++i) total += weights[i];
            log_evidence[row] += std::log(total);
            const bool possible = std::isfinite(log_evidence[row]);
            for (std::size_t i = 0; i < states; ++i) {
                answers[row * states + i] = possible ? weights[i] / total : std::numeric_limits<double>::quiet_NaN();
            }
        }
    });
}

}  // namespace bayou
