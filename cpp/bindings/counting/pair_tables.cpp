#include "bayou/counting/pair_tables.hpp"

#include "arrays.hpp"
#include "bayou/counting/counting.hpp"
#include "register.hpp"

namespace bayou::bindings {

namespace {

Array<std::int64_t> count_pairs_by_py(const List<CodeArray>& column_list, const std::vector<std::int64_t>& cards,
                                       const Vector<std::uint32_t>& groups, std::int64_t n_groups, int threads) {
    const Columns columns(column_list, cards);
    const std::size_t many = natural(n_groups, "n_groups", UINT32_MAX);
    if (!columns.views.empty() && groups.shape(0) != columns.rows) {
        throw std::invalid_argument("groups has " + std::to_string(groups.shape(0)) + " rows, the columns have " +
                                    std::to_string(columns.rows));
    }
    const std::vector<std::int64_t> offsets = pair_offsets(columns.views);
    Output<std::int64_t> tables({many, static_cast<std::size_t>(offsets.back())});
    {
        nb::gil_scoped_release unlocked;
        count_pairs_by(columns.views, offsets, groups.data(), many, tables.data(), threads);
    }
    return tables.release();
}

template <typename T>
nb::tuple information_of(const Matrix<T>& tables, const std::vector<std::uint32_t>& cards, int threads) {
    const std::size_t n = cards.size();
    Output<double> information({n, n}), chance({n, n});
    {
        nb::gil_scoped_release unlocked;
        pair_information(tables.data(), tables.shape(0), cards, information.data(), chance.data(), threads);
    }
    return nb::make_tuple(information.release(), chance.release());
}

void check_cells(std::size_t cells, const std::vector<std::uint32_t>& cards) {
    std::size_t wanted = 0, before = 0;
    for (const std::uint32_t card : cards) {
        std::size_t more = 0;
        if (__builtin_mul_overflow(before, std::size_t{card}, &more) || __builtin_add_overflow(wanted, more, &wanted)) {
            throw std::invalid_argument("cards: the tables of their pairs would be too large");
        }
        before += card;
    }
    if (cells != wanted) {
        throw std::invalid_argument("tables has " + std::to_string(cells) + " cells a group, the cards ask for " +
                                    std::to_string(wanted));
    }
}

Tuple<Array<double>, Array<double>> pair_information_py(const Object<CountArray>& tables,
                                                        const std::vector<std::int64_t>& card_list, int threads) {
    std::vector<std::uint32_t> cards;
    for (const std::int64_t card : card_list) {
        cards.push_back(static_cast<std::uint32_t>(natural(card, "a card", UINT32_MAX)));
    }
    Matrix<std::int64_t> whole;
    if (nb::try_cast<Matrix<std::int64_t>>(tables, whole, false)) {
        check_cells(whole.shape(1), cards);
        return information_of<std::int64_t>(whole, cards, threads);
    }
    const auto real = array_from<Matrix<double>>(
        tables, "tables", "a contiguous two-dimensional int64 or float64 array");
    check_cells(real.shape(1), cards);
    return information_of<double>(real, cards, threads);
}

}  // namespace

void register_pair_tables(nb::module_& m) {
    using namespace nb::literals;
    m.def("count_pairs_by", &count_pairs_by_py, "columns"_a, "cards"_a, "groups"_a, "n_groups"_a, "threads"_a = 0,
          "The flat tables of all pairs i < j for each group of rows, [group, cell].");
    m.def("pair_information", &pair_information_py, "tables"_a, "cards"_a, "threads"_a = 0,
          "I(A; B | group) of every pair, and what chance alone gives, as symmetric matrices.");
}

}  // namespace bayou::bindings
