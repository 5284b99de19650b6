#include <charconv>

#include "bayou/bif/bif.hpp"

namespace bayou::bif {

namespace {

void append_numbers(std::string& text, const double* values, std::size_t count) {
    char buffer[32];
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) text += ", ";
        text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, values[i]).ptr);
    }
    text += ";\n";
}

}  // namespace

std::string rows_text(const double* table, std::size_t cardinality,
                      const std::vector<std::vector<std::string>>& parent_states) {
    std::string text;
    const std::size_t parents = parent_states.size();
    if (parents == 0) {
        text = "  table ";
        append_numbers(text, table, cardinality);
        return text;
    }
    std::vector<std::size_t> codes(parents, 0);
    for (std::size_t digit = 0; digit < parents;) {
        std::size_t row = 0;
        text += "  (";
        for (std::size_t i = 0; i < parents; ++i) {
            if (i > 0) text += ", ";
            text += parent_states[i][codes[i]];
            row = row * parent_states[i].size() + codes[i];
        }
        text += ") ";
        append_numbers(text, table + row * cardinality, cardinality);
        for (digit = 0; digit < parents && ++codes[digit] == parent_states[digit].size(); ++digit) codes[digit] = 0;
    }
    return text;
}

}  // namespace bayou::bif
