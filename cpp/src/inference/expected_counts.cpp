#include "bayou/inference/expected_counts.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"
#include "bayou/base/underflow.hpp"
#include "bayou/inference/split_cliques.hpp"

namespace bayou {

namespace {

constexpr double most_message_entries = 1 << 29;  // positions are 32-bit numbers, and a message has two numbers per state
constexpr std::size_t rows_of_a_block = 128, most_blocks = 32, most_sums = 1 << 22;
constexpr std::size_t rows_of_a_tile = 64;

}  // namespace

ExpectedCounts::ExpectedCounts(const std::vector<std::uint32_t>& cards,
                               const std::vector<std::vector<std::uint32_t>>& scopes,
                               const std::vector<std::uint32_t>& open_cards)
    : cards_(cards), open_cards_(open_cards), scopes_(scopes) {
    CliqueTree tree =
        clique_tree(cards, scopes, elimination_order(cards, scopes, {}), std::vector<char>(cards.size(), 0));
    double entries = 0;
    for (const Clique& clique : tree.cliques) entries += clique.entries;
    if (entries > most_message_entries) {
        std::ostringstream text;
        text.precision(3);
        text << "its cliques have " << entries << " entries";
        throw std::length_error(text.str());
    }
    split_large_cliques(tree, cards, scopes);
    limit_children(tree, cards);
    for (std::size_t at = 0; at < tree.cliques.size(); ++at) add_clique(tree, at);
}

void ExpectedCounts::add_clique(const CliqueTree& tree, std::size_t at) {
    const Clique& of = tree.cliques[at];
    const auto passed = [&](std::uint32_t variable) {
        return std::find(of.separator.begin(), of.separator.end(), variable) != of.separator.end();
    };
    std::vector<std::uint32_t> scope = of.scope;
    // The fastest variable comes last: that with most states makes the longest inner loop.
    std::stable_sort(scope.begin(), scope.end(), [&](std::uint32_t a, std::uint32_t b) {
        return passed(a) != passed(b) ? passed(a) : cards_[a] < cards_[b];
    });
    const bool has_table = !of.factors.empty();
    CountedClique clique(clique_layout(tree, at, scope, of.separator, cards_, {has_table, 2}));
    clique.factors = of.factors;
    clique.entries = has_table ? static_cast<std::size_t>(of.entries) : 0;
    clique.table = entries_;
    entries_ += clique.entries;
    clique.message = messages_;
    messages_ += 2 * clique.message_size;
    open_variables_ += clique.scope.size();
    cliques_.push_back(std::move(clique));
}

// The product of a clique's tables, for every entry.
template <class Number>
void ExpectedCounts::fill_table(const CountedClique& clique, const std::vector<const double*>& tables,
                                Number* table) const {
    std::fill(table, table + clique.entries, Number(1.0));
    for (const std::uint32_t number : clique.factors) {
        const double* from = tables[number];
        for_each_entry(clique.scope, scopes_[number], cards_, clique.entries,
                       [&](std::size_t entry, std::ptrdiff_t place) { table[entry] *= from[place]; });
    }
}

const WideNumber* ExpectedCounts::wide_tables(Products& products) const {
    std::call_once(products.wide_made, [&] {
        products.wide.reset(new WideNumber[entries_]);
        for (const CountedClique& clique : cliques_) {
            fill_table(clique, products.given, products.wide.get() + clique.table);
        }
    });
    return products.wide.get();
}

// The sums of a clique, added in the order of the blocks, then summed over the variables that a table does not have.
void ExpectedCounts::add_counts(const CountedClique& clique, double* sums, std::size_t blocks,
                                const std::vector<double*>& counts) const {
    double* merged = sums + clique.table;
    for (std::size_t block = 1; block < blocks; ++block) {
        const double* more = merged + block * entries_;
        for (std::size_t entry = 0; entry < clique.entries; ++entry) merged[entry] += more[entry];
    }
    for (const std::uint32_t number : clique.factors) {
        double* into = counts[number];
        for_each_entry(clique.scope, scopes_[number], cards_, clique.entries,
                       [&](std::size_t entry, std::ptrdiff_t place) { into[place] += merged[entry]; });
    }
}

double ExpectedCounts::expected_entries(const std::vector<double>& missing) const {
    double total = 0;
    for (const CountedClique& clique : cliques_) total += clique.expected_entries(open_cards_, missing);
    return total;
}

// Depends on the amount of work only, so that the result does not depend on the machine.
std::size_t ExpectedCounts::block_count(std::size_t rows) const {
    const std::size_t room = std::max<std::size_t>(2, most_sums / std::max<std::size_t>(entries_, 1));
    return std::clamp<std::size_t>(rows / rows_of_a_block, 1, std::min(room, most_blocks));
}

double ExpectedCounts::bytes(std::size_t rows) const {
    const double blocks = static_cast<double>(block_count(rows));
    return 8.0 * (static_cast<double>(entries_) * (1 + blocks) + static_cast<double>(messages_));
}

void ExpectedCounts::prepare(RowWorkspace& work) const {
    work.doubles.messages.reset(new double[messages_]);
    work.open.resize(open_variables_);
    work.cursors.resize(cliques_.size());
    OpenVariable* open = work.open.data();
    for (std::size_t at = 0; at < cliques_.size(); ++at) {
        work.cursors[at].open = open;
        open += cliques_[at].scope.size();
    }
}

void ExpectedCounts::run_block(Products& products, const Rows& rows, std::size_t first, std::size_t last,
                               RowWorkspace& work, double* sums, double* logs) const {
    std::vector<std::uint32_t> codes(rows_of_a_tile * cards_.size(), not_known);
    for (std::size_t start = first; start < last; start += rows_of_a_tile) {
        const std::size_t end = std::min(last, start + rows_of_a_tile);
        for (std::size_t k = 0; k < rows.columns.size(); ++k) {
            const CodeColumn& column = rows.columns[k];
            std::uint32_t* code = codes.data() + rows.variables[k];
            for (std::size_t row = start; row < end; ++row, code += cards_.size()) {
                const std::uint32_t found = column.at(row);
                const bool known = found != column.missing();
                if (known && found >= column.card) report_bad_code(column, start, end - start);
                *code = known ? found : not_known;
            }
        }
        for (std::size_t row = start; row < end; ++row) {
            if (row % 8 == 0) stop_if_interrupted();
            const double weight = rows.weights == nullptr ? 1.0 : rows.weights[row];
            const std::uint32_t* found = codes.data() + (row - start) * cards_.size();
            logs[row] = weight == 0 ? 0.0 : run_row(products, found, weight, work, sums);
        }
    }
}

void ExpectedCounts::run(const std::vector<const double*>& tables, const Rows& rows,
                         const std::vector<double*>& counts, double* logs, int threads, double most_bytes) const {
    const std::size_t blocks = block_count(rows.count);
    Products products{tables, std::unique_ptr<double[]>(new double[entries_]), nullptr, {}, false};
    std::vector<double> sums(blocks * entries_, 0.0);
    std::atomic<bool> underflowed{false};
    parallel_for(cliques_.size(), entries_ < (1 << 16) ? 1 : threads, [&](std::size_t at, int) {
        double* table = products.doubles.get() + cliques_[at].table;
        forget_underflow();
        fill_table(cliques_[at], tables, table);
        // Counts are divided by sums of such entries, and the inverse of the smallest numbers is infinite.
        const bool tiny = std::any_of(table, table + cliques_[at].entries, [](double x) { return x > 0 && x < 1e-300; });
        if (tiny || has_underflowed()) underflowed = true;
    });
    products.underflowed = underflowed;
    // Each thread has its own messages and values: with little memory, fewer threads are used.
    const double left = std::max(most_bytes - bytes(rows.count), 0.0) / 8, each = static_cast<double>(messages_ + 1);
    const int workspaces_that_fit = static_cast<int>(std::clamp(left / (2 * each), 1.0, 1024.0));
    threads = std::min(usable_threads(threads), workspaces_that_fit);
    std::vector<std::unique_ptr<RowWorkspace>> workspaces(static_cast<std::size_t>(threads));
    const double values = std::max(left / threads - each, threads == 1 ? left : 0.0);
    parallel_for(blocks, threads, [&](std::size_t block, int worker) {
        auto& own = workspaces[static_cast<std::size_t>(worker)];
        if (!own) {
            own = std::make_unique<RowWorkspace>();
            prepare(*own);
            own->most_values = static_cast<std::size_t>(std::min(values, 0x1p60));
        }
        run_block(products, rows, rows.count * block / blocks, rows.count * (block + 1) / blocks, *own,
                  sums.data() + block * entries_, logs);
    });
    parallel_for(cliques_.size(), blocks * entries_ < (1 << 16) ? 1 : threads,
                 [&](std::size_t at, int) { add_counts(cliques_[at], sums.data(), blocks, counts); });
}

}  // namespace bayou
