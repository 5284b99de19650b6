#include "bayou/switching/mixed_template.hpp"

#include <stdexcept>
#include <string>

namespace bayou {

namespace {

void need(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("slices: ") + what);
}

}  // namespace

void MixedTemplate::check() const {
    need(variables <= places && codes <= cells && states.size() == codes, "more variables than places");
    std::vector<std::size_t> cell_states(cells, 0);
    const auto check_groups = [&](const std::vector<GroupCell>& parts, std::size_t groups) {
        std::size_t largest = 0;
        for (const GroupCell& part : parts) {
            need(part.cell.at < cells && cell_states[part.cell.at] > 0, "a group has a cell that no variable fills");
            largest += static_cast<std::size_t>(part.stride) * (cell_states[part.cell.at] - 1);
        }
        need(largest < groups, "a group outside of its table");
    };
    for (std::size_t code = 0; code < codes; ++code) cell_states[code] = states[code];
    // Copies go from younger cells to older ones, so that some rounds give every cell its number of states.
    for (std::size_t round = 0; round < cells; ++round) {
        for (const MixedSlice& slice : slices) {
            for (const PlaceCopy& copy : slice.cell_copies) {
                need(copy.to < cells && copy.from < cells, "a copy outside of the cells");
                if (cell_states[copy.to] == 0) cell_states[copy.to] = cell_states[copy.from];
            }
        }
    }
    for (const MixedSlice& slice : slices) {
        for (const PlaceCopy& copy : slice.copies) {
            need(copy.to < places && copy.from < places, "a copy outside of the places");
        }
        for (const DiscreteNode& node : slice.nodes) {
            need(node.cell < codes && node.table < tables.size(), "a node without a cell or a table");
            need(tables[node.table].states == states[node.cell], "a table with another number of states");
            check_groups(node.parents, tables[node.table].groups);
        }
        for (const GaussianLine& line : slice.lines) {
            need(line.place < variables && line.block < lines.size(), "a line without a place or parameters");
            need(line.parents.size() == lines[line.block].parents, "a line with another number of parents");
            for (const MixedPlace& parent : line.parents) need(parent.at < places, "a parent outside of the places");
            check_groups(line.groups, lines[line.block].groups);
        }
    }
}

}  // namespace bayou
