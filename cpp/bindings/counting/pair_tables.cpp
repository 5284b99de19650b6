#include "bayou/counting/pair_tables.hpp"

#include "arrays.hpp"
#include "bayou/base/portable.hpp"
#include "bayou/counting/counting.hpp"
#include "bayou/counting/one_dependence.hpp"
#include "register.hpp"
#include "unlocked.hpp"

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
        const Unlocked unlocked;
        count_pairs_by(columns.views, offsets, groups.data(), many, tables.data(), threads);
    }
    return tables.release();
}

template <typename T>
nb::tuple information_of(const Matrix<T>& tables, const std::vector<std::uint32_t>& cards, int threads) {
    const std::size_t n = cards.size();
    Output<double> information({n, n}), chance({n, n});
    {
        const Unlocked unlocked;
        pair_information(tables.data(), tables.shape(0), cards, information.data(), chance.data(), threads);
    }
    return nb::make_tuple(information.release(), chance.release());
}

void check_cells(std::size_t cells, const std::vector<std::uint32_t>& cards) {
    std::size_t wanted = 0, before = 0;
    for (const std::uint32_t card : cards) {
        std::size_t more = 0;
        if (product_overflows(before, std::size_t{card}, &more) || sum_overflows(wanted, more, &wanted)) {
            throw std::invalid_argument("cards: the tables of their pairs would be too large");
        }
        before += card;
    }
    if (cells != wanted) {
        throw std::invalid_argument("tables has " + std::to_string(cells) + " cells a group, the cards ask for " +
                                    std::to_string(wanted));
    }
}

std::vector<std::uint32_t> cards_of(const std::vector<std::int64_t>& list) {
    std::vector<std::uint32_t> cards;
    for (const std::int64_t card : list) cards.push_back(static_cast<std::uint32_t>(natural(card, "a card", UINT32_MAX)));
    return cards;
}

Tuple<Array<double>, Array<double>> pair_information_py(const Object<CountArray>& tables,
                                                        const std::vector<std::int64_t>& card_list, int threads) {
    const std::vector<std::uint32_t> cards = cards_of(card_list);
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

template <typename T>
Array<double> logs_of(const Matrix<T>& tables, const StateNumbers& states, double strength, int threads) {
    Output<double> logs({states.total(), states.total(), tables.shape(0)});
    {
        const Unlocked unlocked;
        one_dependence_tables(tables.data(), tables.shape(0), states, strength, logs.data(), threads);
    }
    return logs.release();
}

Array<double> one_dependence_tables_py(const Object<CountArray>& tables, const std::vector<std::int64_t>& card_list,
                                       double strength, int threads) {
    const StateNumbers states(cards_of(card_list));
    Matrix<std::int64_t> whole;
    if (nb::try_cast<Matrix<std::int64_t>>(tables, whole, false)) {
        check_cells(whole.shape(1), states.cards);
        return logs_of<std::int64_t>(whole, states, strength, threads);
    }
    const auto real = array_from<Matrix<double>>(
        tables, "tables", "a contiguous two-dimensional int64 or float64 array");
    check_cells(real.shape(1), states.cards);
    return logs_of<double>(real, states, strength, threads);
}

using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

void check_shape(const char* name, bool fits) {
    if (!fits) throw std::invalid_argument(std::string(name) + " does not have the shape that the cards ask for");
}

Array<double> one_dependence_scores_py(const Matrix<std::uint32_t>& codes, const std::vector<std::int64_t>& card_list,
                                       const Matrix<double>& own, const Vector<std::uint8_t>& frequent,
                                       const Vector<double>& log_weights, const Cube& logs, int threads) {
    const StateNumbers states(cards_of(card_list));
    const std::size_t total = states.total(), n_classes = own.shape(1);
    check_shape("codes", codes.shape(0) == states.cards.size());
    check_shape("own", own.shape(0) == total);
    check_shape("frequent", frequent.shape(0) == total);
    check_shape("log_weights", log_weights.shape(0) == states.cards.size());
    check_shape("logs", logs.shape(0) == total && logs.shape(1) == total && logs.shape(2) == n_classes);
    const OneDependence model{own.data(), log_weights.data(), frequent.data(), logs.data(), n_classes};
    Output<double> joint({codes.shape(1), n_classes});
    {
        const Unlocked unlocked;
        one_dependence_scores(model, states, codes.data(), codes.shape(1), joint.data(), threads);
    }
    return joint.release();
}

}  // namespace

void register_pair_tables(nb::module_& m) {
    using namespace nb::literals;
    m.def("count_pairs_by", &count_pairs_by_py, "columns"_a, "cards"_a, "groups"_a, "n_groups"_a, "threads"_a = 0,
          "The flat tables of all pairs i < j for each group of rows, [group, cell].");
    m.def("pair_information", &pair_information_py, "tables"_a, "cards"_a, "threads"_a = 0,
          "I(A; B | group) of every pair, and what chance alone gives, as symmetric matrices.");
    m.def("one_dependence_tables", &one_dependence_tables_py, "tables"_a, "cards"_a, "strength"_a, "threads"_a = 0,
          "log P(second state | group, first state) of all states of all columns, [first, second, group].");
    m.def("one_dependence_scores", &one_dependence_scores_py, "codes"_a, "cards"_a, "own"_a, "frequent"_a,
          "log_weights"_a, "logs"_a, "threads"_a = 0,
          "log of the weighted sum over parents of P(class, row), [row, class]; codes is [column, row].");
}

}  // namespace bayou::bindings
