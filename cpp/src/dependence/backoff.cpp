#include <algorithm>
#include <cmath>
#include <memory>

#include "bayou/base/threads.hpp"
#include "bayou/dependence/dependence_tables.hpp"

namespace bayou {
namespace {

constexpr std::size_t kLeftOutRows = 64;

// The state of a row in the tables of one column: which groups of parents at each level, and its own state.
struct Place {
    std::size_t groups[3];
    std::size_t state;
};

Place place_of(const DependenceLayout& layout, const CodedRows& rows, std::size_t column, std::size_t row) {
    Place place{{0, 0, 0}, rows.at(column, row)};
    if (layout.first[column] >= 0) place.groups[1] = rows.at(layout.first[column], row);
    if (layout.second[column] >= 0) {
        place.groups[2] = rows.at(layout.second[column], row) * layout.first_card(column) + place.groups[1];
    }
    return place;
}

// P(x | parents, class), backed off one parent at a time, in counts of which `off` was taken from the row's own cells
// (`is_own`: the class is the row's own). The share of the state in all classes always lacks it.
double backed_off(const LevelCounts& counts, const double* strengths, const Place& place, std::size_t in_class,
                  double off, bool is_own, int level) {
    const double share = (std::max(counts.states[place.state] - off, 0.0) + 1.0) / (std::max(counts.all - off, 0.0) + counts.card);
    const double less = is_own ? off : 0.0;
    double chance = share;
    for (int at = 0; at <= level; ++at) {
        const std::size_t group = place.groups[at];
        const double cell = std::max(counts.cells[at][(group * counts.card + place.state) * counts.classes + in_class] - less, 0.0);
        const double total = std::max(counts.totals[at][group * counts.classes + in_class] - less, 0.0);
        chance = (cell + strengths[at] * chance) / (total + strengths[at]);
    }
    return chance;
}

// The sum over all counted rows of log P(x | parents, class) at a level, each row left out.
double left_out_likelihood(const LevelCounts& counts, const DependenceLayout& layout, std::size_t column,
                           const double* strengths, int level) {
    const std::vector<double>& cells = counts.cells[level];
    double sum = 0;
    for (std::size_t at = 0; at < cells.size(); ++at) {
        const double rows = cells[at];
        if (rows <= 0) continue;
        const std::size_t in_class = at % counts.classes, group = at / counts.classes / counts.card;
        const std::size_t state = at / counts.classes % counts.card, ones = layout.first_card(column);
        const Place place{{0, level == 0 ? 0 : group % ones, level == 2 ? group : 0}, state};
        sum += rows * std::log(backed_off(counts, strengths, place, in_class, std::min(rows, 1.0), true, level));
    }
    return sum;
}

// log P(x | parents, class) of one column for rows that were counted. For the classes that are not the row's own it is
// looked up where that saves time: it depends on the row's cell only, if 1 is taken off.
class LeftOutColumn {
  public:
    LeftOutColumn(const double* counts, const DependenceLayout& layout, std::size_t column, const double* strengths, std::size_t rows)
        : levels_(counts, layout, column), strengths_(strengths) {
        const std::size_t cells = layout.level_cells(column, levels_.depth), ones = layout.first_card(column);
        if (cells > rows * levels_.classes) return;
        for (std::size_t at = 0; at < cells; ++at) {
            const std::size_t group = at / levels_.classes / levels_.card;
            const Place place{{0, levels_.depth == 0 ? 0 : group % ones, levels_.depth == 2 ? group : 0}, at / levels_.classes % levels_.card};
            logs_.push_back(std::log(backed_off(levels_, strengths_, place, at % levels_.classes, 1.0, false, levels_.depth)));
        }
    }

    double log(const Place& place, std::size_t in_class, double part, bool is_own) const {
        if (is_own || part != 1.0 || logs_.empty()) {
            return std::log(backed_off(levels_, strengths_, place, in_class, part, is_own, levels_.depth));
        }
        return logs_[(place.groups[levels_.depth] * levels_.card + place.state) * levels_.classes + in_class];
    }

  private:
    LevelCounts levels_;
    const double* strengths_;
    std::vector<double> logs_;
};

}  // namespace

void backoff_strengths(const DependenceLayout& layout, const double* counts, const std::vector<double>& grid,
                       double* strengths, int threads) {
    parallel_for(layout.columns(), threads, [&](std::size_t column, int) {
        const LevelCounts levels(counts + layout.starts[column], layout, column);
        double* own = strengths + 3 * column;
        std::fill(own, own + 3, grid.front());
        for (int level = 0; level <= levels.depth; ++level) {
            double best = -INFINITY, chosen = grid.front();
            for (const double strength : grid) {
                own[level] = strength;
                const double found = left_out_likelihood(levels, layout, column, own, level);
                if (found > best) best = found, chosen = strength;
            }
            own[level] = chosen;
        }
    });
}

void backoff_logs(const DependenceLayout& layout, const double* counts, const double* strengths, double* logs,
                  int threads) {
    const std::vector<std::size_t> starts = layout.log_starts();
    parallel_for(layout.columns(), threads, [&](std::size_t column, int) {
        const LevelCounts levels(counts + layout.starts[column], layout, column);
        double* out = logs + starts[column];
        const std::size_t ones = layout.first_card(column);
        for (int level = 0; level <= levels.depth; ++level) {
            for (std::size_t at = 0; at < levels.cells[level].size(); ++at) {
                const std::size_t group = at / levels.classes / levels.card;
                const Place place{{0, level == 0 ? 0 : group % ones, level == 2 ? group : 0}, at / levels.classes % levels.card};
                *out++ = std::log(backed_off(levels, strengths + 3 * column, place, at % levels.classes, 0.0, false, level));
            }
        }
    });
}

void left_out_dependences(const DependenceLayout& layout, const double* counts, const double* strengths,
                          const CodedRows& rows, const std::uint32_t* own, const double* part, double* terms,
                          int threads) {
    const std::size_t columns = layout.columns(), classes = layout.classes;
    std::vector<std::unique_ptr<LeftOutColumn>> of_columns(columns);
    parallel_for(columns, threads, [&](std::size_t column, int) {
        of_columns[column] = std::make_unique<LeftOutColumn>(counts + layout.starts[column], layout, column, strengths + 3 * column, rows.rows);
    });
    parallel_for((rows.rows + kLeftOutRows - 1) / kLeftOutRows, threads, [&](std::size_t block, int) {
        const std::size_t begin = block * kLeftOutRows, end = std::min(rows.rows, begin + kLeftOutRows);
        for (std::size_t column = 0; column < columns; ++column) {
            for (std::size_t row = begin; row < end; ++row) {
                const Place place = place_of(layout, rows, column, row);
                double* out = terms + row * classes * columns + column;
                for (std::size_t in_class = 0; in_class < classes; ++in_class) {
                    out[in_class * columns] = of_columns[column]->log(place, in_class, part[row], in_class == own[row]);
                }
            }
        }
    });
}

}  // namespace bayou
