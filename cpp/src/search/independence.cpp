#include "bayou/search/independence.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "bayou/base/interrupt.hpp"
#include "bayou/base/threads.hpp"

namespace bayou {

namespace {

constexpr std::uint32_t most_planes = 20;     // columns with more states have no planes
constexpr std::size_t most_logs = 1 << 16;
// Up to this many cells, counting by planes (each cell reads all rows, 64 per word) is faster than a histogram.
constexpr std::size_t most_plane_cells = 600;

// The sum of h^(k + shift) e^-h / Gamma(k + shift + 1) for k below `terms`, from the largest term in both directions,
// so that no significant term underflows.
double gamma_sum(double h, std::int64_t terms, double shift) {
    if (terms <= 0 || h <= 0) return terms > 0 && shift == 0 ? 1.0 : 0.0;
    const std::int64_t peak = std::clamp<std::int64_t>(static_cast<std::int64_t>(h - shift), 0, terms - 1);
    const double top = std::exp((peak + shift) * std::log(h) - h - std::lgamma(peak + shift + 1));
    double sum = top, term = top;
    for (std::int64_t k = peak; k > 0 && term > 1e-18 * sum; --k) sum += term *= (k + shift) / h;
    term = top;
    for (std::int64_t k = peak + 1; k < terms && term > 1e-18 * sum; ++k) sum += term *= h / (k + shift);
    return sum;
}

// The degrees of freedom of one stratum, (observed rows - 1)(observed columns - 1).
std::int64_t free_degrees(const double* margins, std::size_t rows, std::size_t columns) {
    const auto seen = [](const double* first, std::size_t count) {
        return std::count_if(first, first + count, [](double n) { return n > 0; });
    };
    const std::int64_t across = seen(margins, rows), down = seen(margins + rows, columns);
    return std::max<std::int64_t>(across - 1, 0) * std::max<std::int64_t>(down - 1, 0);
}

// Writes row sums, then column sums; returns the total.
double sum_margins(const std::int64_t* cells, std::size_t rows, std::size_t columns, double* margins) {
    std::fill_n(margins, rows + columns, 0.0);
    double total = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
            const double n = static_cast<double>(cells[i * columns + j]);
            margins[i] += n;
            margins[rows + j] += n;
        }
        total += margins[i];
    }
    return total;
}

void add_group(TestOutcome& outcome, std::int64_t degrees, std::int64_t rows) {
    outcome.degrees += degrees;
    outcome.rows += rows;
    if (rows > 0) ++outcome.groups;
    if (degrees > 0) outcome.telling += rows;
}

TestOutcome pearson(std::size_t rows, std::size_t columns, IndependenceTester::Scratch& scratch) {
    TestOutcome outcome;
    double* margins = scratch.margins.data();
    for (std::size_t group = 0; group < scratch.groups; ++group) {
        const std::int64_t* cells = scratch.tables.data() + group * rows * columns;
        const double total = sum_margins(cells, rows, columns, margins);
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                const double expected = margins[i] * margins[rows + j] / (total > 0 ? total : 1);
                const double off = static_cast<double>(cells[i * columns + j]) - expected;
                if (expected > 0) outcome.statistic += off * off / expected;
            }
        }
        add_group(outcome, free_degrees(margins, rows, columns), static_cast<std::int64_t>(total));
    }
    return outcome;
}

}  // namespace

double chi_square_tail(std::int64_t degrees, double statistic) {
    if (degrees <= 0) return 1.0;
    const double h = statistic / 2;
    if (h <= 0) return 1.0;
    const double tail = degrees % 2 == 0 ? gamma_sum(h, degrees / 2, 0)
                                         : std::erfc(std::sqrt(h)) + gamma_sum(h, degrees / 2, 0.5);
    return std::min(tail, 1.0);
}

IndependenceTester::IndependenceTester(const std::vector<CodeColumn>& columns, int threads)
    : columns_(columns), rows_(columns.empty() ? 0 : columns.front().rows), words_(plane_words(rows_)),
      threads_(usable_threads(threads)), starts_(columns.size(), 0) {
    std::size_t total = 0;
    for (std::size_t at = 0; at < columns.size(); ++at) {
        starts_[at] = total;
        if (columns[at].card <= most_planes) total += columns[at].card * words_;
    }
    planes_ = PlaneBuffer(total);
    parallel_for(columns.size(), threads_, [&](std::size_t at, int) {
        const CodeColumn& column = columns_[at];
        if (column.card <= most_planes) {
            std::vector<std::uint8_t> bytes(column.bytes == 1 ? 0 : rows_);
            const std::uint8_t* codes = byte_codes(column, 0, rows_, bytes.data());
            if (plane_kernels().one_hot(codes, rows_, column.card, words_, planes_.data() + starts_[at])) return;
            report_bad_code(column, 0, rows_);
        }
        for (std::size_t row = 0; row < rows_; ++row) {
            const std::uint32_t code = column.at(row);
            if (code >= column.card && code != column.missing()) report_bad_code(column, row, 1);
        }
    });
    logs_.resize(std::min(rows_ + 1, most_logs));
    for (std::size_t n = 1; n < logs_.size(); ++n) logs_[n] = n * std::log(static_cast<double>(n));
}

double IndependenceTester::n_log_n(std::int64_t n) const {
    if (static_cast<std::size_t>(n) < logs_.size()) return logs_[n];
    return n * std::log(static_cast<double>(n));
}

TestOutcome IndependenceTester::g(std::size_t rows, std::size_t columns, Scratch& scratch) const {
    TestOutcome outcome;
    double* margins = scratch.margins.data();
    double sum = 0;
    for (std::size_t group = 0; group < scratch.groups; ++group) {
        const std::int64_t* cells = scratch.tables.data() + group * rows * columns;
        const double total = sum_margins(cells, rows, columns, margins);
        for (std::size_t cell = 0; cell < rows * columns; ++cell) sum += n_log_n(cells[cell]);
        for (std::size_t k = 0; k < rows + columns; ++k) sum -= n_log_n(static_cast<std::int64_t>(margins[k]));
        sum += n_log_n(static_cast<std::int64_t>(total));
        add_group(outcome, free_degrees(margins, rows, columns), static_cast<std::int64_t>(total));
    }
    outcome.statistic = std::max(0.0, 2 * sum);
    return outcome;
}

bool IndependenceTester::test(std::size_t x, std::size_t y, const std::vector<std::size_t>& given,
                              const TestRule& rule, Scratch& scratch, TestOutcome& outcome) const {
    std::size_t cells = std::size_t{columns_[x].card} * columns_[y].card;
    for (const std::size_t member : given) {
        if (cells > rule.most_cells) return false;
        cells *= columns_[member].card;
    }
    if (cells > rule.most_cells) return false;
    scratch.groups = count(x, y, given, cells, scratch);
    const std::size_t rows = columns_[x].card, columns = columns_[y].card;
    scratch.margins.resize(rows + columns);
    outcome = rule.kind == TestKind::g ? g(rows, columns, scratch) : pearson(rows, columns, scratch);
    outcome.p_value = chi_square_tail(outcome.degrees, outcome.statistic);
    return true;
}

// Returns the number of tables in `scratch`.
std::size_t IndependenceTester::count(std::size_t x, std::size_t y, const std::vector<std::size_t>& given,
                                      std::size_t cells, Scratch& scratch) const {
    bool narrow = columns_[x].card <= most_planes && columns_[y].card <= most_planes;
    for (const std::size_t member : given) narrow = narrow && columns_[member].card <= most_planes;
    if (narrow && cells <= most_plane_cells) {
        count_planes(x, y, given, scratch);
        return scratch.groups;
    }
    scratch.tables.assign(cells, 0);
    count_rows(x, y, given, scratch);
    return cells / std::max<std::size_t>(std::size_t{columns_[x].card} * columns_[y].card, 1);
}

// Visits the combinations of states of `given` depth first, with one mask of rows per depth; skips those without rows.
void IndependenceTester::count_planes(std::size_t x, std::size_t y, const std::vector<std::size_t>& given,
                                      Scratch& scratch) const {
    const PlaneKernels& kernels = plane_kernels();
    const std::size_t nx = columns_[x].card, ny = columns_[y].card;
    scratch.words.resize((given.size() + nx) * words_ + 8);
    // Masks are aligned like the columns' planes, which the kernels read fastest.
    const std::size_t shift = (64 - reinterpret_cast<std::uintptr_t>(scratch.words.data()) % 64) % 64 / 8;
    std::uint64_t* masks = scratch.words.data() + shift;
    std::uint64_t* cut = masks + given.size() * words_;
    scratch.groups = 0;
    scratch.tables.clear();
    const auto leaf = [&](const std::uint64_t* mask) {
        const std::uint64_t* first = planes(x);
        if (mask != nullptr) {
            for (std::size_t i = 0; i < nx; ++i) kernels.intersect(first + i * words_, mask, words_, cut + i * words_);
            first = cut;
        }
        scratch.tables.resize((scratch.groups + 1) * nx * ny, 0);
        kernels.count_grid(first, nx, planes(y), ny, words_, scratch.tables.data() + scratch.groups * nx * ny, ny);
        ++scratch.groups;
    };
    const std::function<void(std::size_t, const std::uint64_t*)> descend = [&](std::size_t depth,
                                                                             const std::uint64_t* mask) {
        if (depth == given.size()) return leaf(mask);
        const std::uint64_t* own = planes(given[depth]);
        for (std::size_t state = 0; state < columns_[given[depth]].card; ++state) {
            const std::uint64_t* plane = own + state * words_;
            if (mask == nullptr) {
                descend(depth + 1, plane);
            } else if (kernels.intersect(plane, mask, words_, masks + depth * words_)) {
                descend(depth + 1, masks + depth * words_);
            }
        }
    };
    descend(0, nullptr);
}

void IndependenceTester::count_rows(std::size_t x, std::size_t y, const std::vector<std::size_t>& given,
                                    Scratch& scratch) const {
    Family family(given.begin(), given.end());
    family.push_back(x);
    family.push_back(y);
    scratch.indices.resize(index_block);
    for (std::size_t first = 0; first < rows_; first += index_block) {
        const std::size_t rows = std::min(index_block, rows_ - first);
        index_rows(columns_, family, first, rows, scratch.indices.data());
        for (std::size_t row = 0; row < rows; ++row) {
            if (scratch.indices[row] != missing_index) ++scratch.tables[scratch.indices[row]];
        }
    }
}

namespace {

// Calls visit(set) for every set of `size` of the candidates, in lexicographic order.
template <typename Visit>
void each_subset(const std::vector<std::size_t>& candidates, std::size_t size, const Visit& visit) {
    if (size > candidates.size()) return;
    std::vector<std::size_t> places(size), chosen(size);
    for (std::size_t k = 0; k < size; ++k) places[k] = k;
    while (true) {
        for (std::size_t k = 0; k < size; ++k) chosen[k] = candidates[places[k]];
        visit(chosen);
        std::size_t k = size;
        while (k > 0 && places[k - 1] == candidates.size() - size + k - 1) --k;
        if (k == 0) return;
        ++places[k - 1];
        for (; k < size; ++k) places[k] = places[k - 1] + 1;
    }
}

std::vector<std::size_t> without(std::vector<std::size_t> members, std::size_t one) {
    members.erase(std::remove(members.begin(), members.end(), one), members.end());
    return members;
}

}  // namespace

Separation IndependenceTester::separate(std::size_t x, std::size_t y,
                                        const std::vector<std::vector<std::size_t>>& neighbours, std::size_t size,
                                        const TestRule& rule, Scratch& scratch) const {
    Separation found;
    const std::vector<std::size_t> of_x = without(neighbours[x], y), of_y = without(neighbours[y], x);
    const auto visit = [&](const std::vector<std::size_t>& given) {
        stop_if_interrupted();
        TestOutcome outcome;
        if (!test(x, y, given, rule, scratch, outcome) || !outcome.counts(rule.reliable)) return;
        ++found.tests;
        if (found.any && outcome.p_value <= found.best.p_value) return;
        found.any = true;
        found.best = outcome;
        found.given = given;
    };
    each_subset(of_x, size, visit);
    if (size == 0) return found;
    each_subset(of_y, size, [&](const std::vector<std::size_t>& given) {
        const bool done = std::all_of(given.begin(), given.end(), [&](std::size_t member) {
            return std::binary_search(of_x.begin(), of_x.end(), member);
        });
        if (!done) visit(given);
    });
    return found;
}

}  // namespace bayou
