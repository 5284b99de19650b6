#include "bayou/counting/family_layout.hpp"

#include <algorithm>

namespace bayou {

namespace {

// Microseconds per million rows, measured on Zen 3 with AVX2. With planes: per cell, and per AND that makes a mask;
// with a histogram: the increments, and the share of each column in computing the index.
constexpr std::size_t cell_cost = 4, mask_cost = 4;
constexpr std::size_t increment_cost = 600, index_cost = 240;
constexpr std::uint32_t most_family_planes = 64;
// The planes of a tile should stay in the second cache.
constexpr std::size_t plane_budget_words = 256 * 1024 / 8;
constexpr std::size_t most_tile_rows = 8 * plane_group_rows;

// Whether bit planes are expected to count the family faster than a histogram.
bool suits_planes(const std::vector<CodeColumn>& columns, const Family& family, std::size_t cells) {
    std::size_t masks = 0, prefix = 1;
    for (std::size_t level = 0; level < family.size(); ++level) {
        if (columns[family[level]].card > most_family_planes) return false;
        prefix *= columns[family[level]].card;
        if (level > 0 && level + 1 < family.size()) masks += prefix;
    }
    return cells * cell_cost + masks * mask_cost <= increment_cost + index_cost * family.size();
}

Way choose_way(const std::vector<CodeColumn>& columns, const Family& family, std::size_t cells,
               std::size_t rows) {
    if (family.empty()) return Way::total;
    if (cells == 0) return Way::alone;  // only the codes are checked
    if (suits_planes(columns, family, cells)) return Way::planes;
    return cells <= rows / 16 ? Way::histogram : Way::alone;
}

}  // namespace

Layout lay_out(const std::vector<CodeColumn>& columns, std::size_t rows, const std::vector<Family>& families,
               const std::vector<std::int64_t*>& tables) {
    Layout layout;
    layout.first_plane.assign(columns.size(), 0);
    std::vector<bool> wanted(columns.size(), false);
    for (std::size_t at = 0; at < families.size(); ++at) {
        Job job{&families[at], tables[at], table_cells(columns, families[at])};
        job.way = choose_way(columns, families[at], job.cells, rows);
        if (job.way == Way::planes || job.way == Way::histogram) {
            job.offset = layout.shared_cells;
            layout.shared_cells += job.cells;
        }
        if (job.way == Way::planes) {
            for (const std::size_t member : families[at]) wanted[member] = true;
            layout.deepest = std::max(layout.deepest, families[at].size());
        }
        layout.jobs.push_back(job);
    }
    for (std::size_t column = 0; column < columns.size(); ++column) {
        if (!wanted[column]) continue;
        layout.plane_columns.push_back(column);
        layout.first_plane[column] = layout.planes;
        layout.planes += columns[column].card;
    }
    const std::size_t groups = plane_budget_words / (plane_group_words * std::max<std::size_t>(layout.planes, 1));
    layout.tile_rows = std::clamp(groups * plane_group_rows, plane_group_rows, most_tile_rows);
    return layout;
}

}  // namespace bayou
