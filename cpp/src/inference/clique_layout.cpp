#include "bayou/inference/clique_layout.hpp"

#include <algorithm>
#include <stdexcept>

namespace bayou {

std::vector<std::int32_t> strides_in(const std::vector<std::uint32_t>& scope, const std::vector<std::uint32_t>& axes,
                                     const std::vector<std::uint32_t>& cards, std::int32_t stride) {
    std::vector<std::int32_t> strides(scope.size(), 0);
    for (std::size_t axis = axes.size(); axis-- > 0;) {
        const auto at = std::find(scope.begin(), scope.end(), axes[axis]);
        if (at != scope.end()) strides[static_cast<std::size_t>(at - scope.begin())] = stride;
        stride *= static_cast<std::int32_t>(cards[axes[axis]]);
    }
    return strides;
}

CliqueLayout clique_layout(const CliqueTree& tree, std::size_t clique, const std::vector<std::uint32_t>& scope,
                           const std::vector<std::uint32_t>& passed, const std::vector<std::uint32_t>& cards,
                           const LayoutChoices& choices) {
    const Clique& of = tree.cliques[clique];
    if (of.children.size() > most_children) throw std::logic_error("a clique of this plan has too many children");
    CliqueLayout layout;
    layout.scope = scope;
    layout.passed = passed.size();
    layout.children = of.children;
    layout.is_top = of.parent < 0;
    for (const std::uint32_t variable : passed) layout.message_size *= cards[variable];
    const std::vector<std::uint32_t> nothing;
    std::vector<std::vector<std::int32_t>> strides{strides_in(scope, choices.has_table ? scope : nothing, cards)};
    for (const std::uint32_t child : of.children) {
        strides.push_back(strides_in(scope, tree.cliques[child].separator, cards, choices.message_stride));
    }
    strides.push_back(strides_in(scope, passed, cards, choices.message_stride));
    for (std::size_t k = 0; k < scope.size(); ++k) {
        layout.first_state.push_back(static_cast<std::uint32_t>(layout.offsets.size()));
        for (std::uint32_t state = 0; state < cards[scope[k]]; ++state) {
            Offsets& offsets = layout.offsets.emplace_back(Offsets{});
            for (std::size_t which = 0; which < strides.size(); ++which) {
                offsets.at[which] = static_cast<std::int32_t>(state) * strides[which][k];
            }
        }
    }
    return layout;
}

double CliqueLayout::expected_entries(const std::vector<std::uint32_t>& cards,
                                      const std::vector<double>& missing) const {
    double entries = 1;
    for (const std::uint32_t variable : scope) entries *= 1 + missing[variable] * (cards[variable] - 1.0);
    return entries;
}

}  // namespace bayou
