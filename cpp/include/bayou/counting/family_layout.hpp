// How each family of a call is counted, and the memory that the workers need for it.
#pragma once

#include <cstdint>
#include <vector>

#include "bayou/counting/bit_planes.hpp"
#include "bayou/data/codes.hpp"

namespace bayou {

enum class Way {
    total,      // no columns: the number of rows
    planes,     // bit planes, every worker its own table
    histogram,  // indices of rows, every worker its own table
    alone,      // a table so large that one worker counts all rows directly into it
};

struct Job {
    const Family* family;
    std::int64_t* table;
    std::size_t cells;
    std::size_t offset = 0;  // in the tables of a worker
    Way way = Way::total;
};

struct Layout {
    std::vector<Job> jobs;
    std::vector<std::size_t> plane_columns;    // the columns that need planes
    std::vector<std::size_t> first_plane;      // by column
    std::size_t planes = 0;
    std::size_t deepest = 0;      // the number of masks that the longest family needs
    std::size_t tile_rows = plane_group_rows;
    std::size_t shared_cells = 0;  // cells of all tables that every worker has a copy of
};

Layout lay_out(const std::vector<CodeColumn>& columns, std::size_t rows, const std::vector<Family>& families,
               const std::vector<std::int64_t*>& tables);

}  // namespace bayou
