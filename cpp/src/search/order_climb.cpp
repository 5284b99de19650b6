#include "bayou/search/order_climb.hpp"

#include <algorithm>
#include <vector>

#include "bayou/base/bit_rows.hpp"

namespace bayou {

namespace {

// Gains below this are treated as rounding.
constexpr double kLeastGain = 1e-9;

class Climb {
  public:
    Climb(const ParentLists& lists, std::int32_t* order, std::int64_t* chosen)
        : lists_(lists), order_(order), chosen_(chosen), place_(lists.variables),
          before_(lists.variables), ever_(lists.variables), moved_(before_.words()) {
        for (std::size_t variable = 0; variable < lists.variables; ++variable) {
            for (std::int64_t set = lists.starts[variable]; set < lists.starts[variable + 1]; ++set) {
                unite(ever_[variable], members(set));
            }
        }
        std::vector<std::uint64_t> seen(before_.words());
        for (std::size_t at = 0; at < lists.variables; ++at) {
            const std::int32_t variable = order_[at];
            place_[variable] = at;
            unite(before(variable), seen);
            chosen_[variable] = first(variable, lists_.starts[variable], before(variable));
            set_bit(seen, node(variable));
        }
    }

    // Moves the variable to the position with the best score; returns whether it moved.
    bool place(std::int32_t variable) {
        Place best{place_[variable], kLeastGain};
        look_left(variable, best);
        look_right(variable, best);
        if (best.at == place_[variable]) return false;
        while (place_[variable] > best.at) swap_with_left(place_[variable]);
        while (place_[variable] < best.at) swap_with_left(place_[variable] + 1);
        return true;
    }

    double total() const {
        double sum = 0.0;
        for (std::size_t variable = 0; variable < lists_.variables; ++variable) sum += score(chosen_[variable]);
        return sum;
    }

  private:
    struct Place {
        std::size_t at;
        double gain;
    };

    static std::uint32_t node(std::int32_t variable) { return static_cast<std::uint32_t>(variable); }
    BitSpan before(std::int32_t variable) { return before_[node(variable)]; }
    ConstBitSpan members(std::int64_t set) const { return {&lists_.sets[set * lists_.words], before_.words()}; }
    double score(std::int64_t set) const { return set < 0 ? kNoParentSet : lists_.scores[set]; }
    bool holds(std::int64_t set, std::int32_t parent) const {
        return set >= 0 && has_bit(members(set), node(parent));
    }

    // The first set at or after `from` within `known`, or -1.
    std::int64_t first(std::int32_t variable, std::int64_t from, ConstBitSpan known) const {
        for (std::int64_t set = from; set < lists_.starts[variable + 1]; ++set) {
            if (is_within(members(set), known)) return set;
        }
        return -1;
    }

    // The best set of a variable within `known`, after `parent` was added to it: only sets with it can be better.
    std::int64_t with(std::int32_t variable, std::int32_t parent, std::int64_t now, ConstBitSpan known) const {
        if (!ever_.has(node(variable), node(parent))) return now;
        const std::int64_t end = now < 0 ? lists_.starts[variable + 1] : now;
        for (std::int64_t set = lists_.starts[variable]; set < end; ++set) {
            if (holds(set, parent) && is_within(members(set), known)) return set;
        }
        return now;
    }

    std::int64_t with(std::int32_t variable, std::int32_t parent) {
        const BitSpan known = before(variable);
        set_bit(known, node(parent));
        const std::int64_t found = with(variable, parent, chosen_[variable], known);
        clear_bit(known, node(parent));
        return found;
    }

    // The best set of a variable within `known`, after `known` became smaller.
    std::int64_t within(std::int32_t variable, std::int64_t now, ConstBitSpan known) const {
        return now < 0 ? now : first(variable, now, known);
    }

    void look_left(std::int32_t variable, Place& best) {
        const BitSpan known = before(variable);
        std::copy(known.begin(), known.end(), moved_.begin());
        std::int64_t own = chosen_[variable];
        double others = 0.0;
        for (std::size_t at = place_[variable]; at-- > 0;) {
            const std::int32_t passed = order_[at];
            others += score(with(passed, variable)) - score(chosen_[passed]);
            clear_bit(moved_, node(passed));
            if (holds(own, passed)) own = within(variable, own, moved_);
            const double gain = others + score(own) - score(chosen_[variable]);
            if (gain > best.gain) best = {at, gain};
        }
    }

    void look_right(std::int32_t variable, Place& best) {
        const BitSpan known = before(variable);
        std::copy(known.begin(), known.end(), moved_.begin());
        std::int64_t own = chosen_[variable];
        double others = 0.0;
        for (std::size_t at = place_[variable] + 1; at < lists_.variables; ++at) {
            const std::int32_t passed = order_[at];
            others += score(without(passed, variable)) - score(chosen_[passed]);
            set_bit(moved_, node(passed));
            own = with(variable, passed, own, moved_);
            const double gain = others + score(own) - score(chosen_[variable]);
            if (gain > best.gain) best = {at, gain};
        }
    }

    std::int64_t without(std::int32_t variable, std::int32_t parent) {
        if (!holds(chosen_[variable], parent)) return chosen_[variable];
        const BitSpan known = before(variable);
        clear_bit(known, node(parent));
        const std::int64_t found = within(variable, chosen_[variable], known);
        set_bit(known, node(parent));
        return found;
    }

    // Exchanges the variables at `at` and at - 1.
    void swap_with_left(std::size_t at) {
        const std::int32_t right = order_[at], left = order_[at - 1];
        const std::int64_t for_left = with(left, right), for_right = without(right, left);
        set_bit(before(left), node(right));
        clear_bit(before(right), node(left));
        chosen_[left] = for_left;
        chosen_[right] = for_right;
        std::swap(order_[at], order_[at - 1]);
        std::swap(place_[left], place_[right]);
    }

    const ParentLists& lists_;
    std::int32_t* order_;
    std::int64_t* chosen_;
    std::vector<std::size_t> place_;
    BitRows before_;  // of each variable: those before it in the order
    BitRows ever_;    // of each variable: the members of any of its sets
    std::vector<std::uint64_t> moved_;
};

}  // namespace

double climb_order(const ParentLists& lists, const std::int32_t* visits, std::size_t passes, std::int32_t* order,
                   std::int64_t* chosen) {
    Climb climb(lists, order, chosen);
    for (std::size_t pass = 0; pass < passes; ++pass) {
        bool moved = false;
        for (std::size_t visit = 0; visit < lists.variables; ++visit) moved |= climb.place(visits[visit]);
        if (!moved) break;
    }
    return climb.total();
}

}  // namespace bayou
