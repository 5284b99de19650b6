// The passes in numbers of any range: rarely needed, so in the plainest way.
#include <algorithm>

#include "slice_loops.hpp"

namespace bayou {

namespace {

// Calls body(left, right, out) for every product of a pass, with the places of its entries.
template <typename Body>
class WidePass {
  public:
    WidePass(const SlicePass& pass, const Body& body) : body_(body) {
        for (const auto* loops : {&pass.kept, &pass.summed}) {
            for (const SliceLoop& loop : *loops) loops_.push_back(&loop);
        }
        loops_.push_back(&pass.along_left);
        loops_.push_back(&pass.along_right);
    }

    void run(std::size_t depth = 0, std::ptrdiff_t left = 0, std::ptrdiff_t right = 0, std::ptrdiff_t out = 0) const {
        if (depth == loops_.size()) return body_(left, right, out);
        const SliceLoop& loop = *loops_[depth];
        for (std::size_t i = 0; i < loop.size; ++i) {
            run(depth + 1, left, right, out);
            left += loop.left;
            right += loop.right;
            out += loop.out;
        }
    }

  private:
    std::vector<const SliceLoop*> loops_;
    const Body& body_;
};

}  // namespace

void sum_pass(const SlicePass& pass, const WideNumber* left, const WideNumber* right, WideNumber* out) {
    std::fill_n(out, pass.entries, WideNumber());
    const auto add = [&](auto l, auto r, auto o) { out[o] += left[l] * right[r]; };
    WidePass(pass, add).run();
}

void maximum_pass(const SlicePass& pass, const WideNumber* left, const WideNumber* right, WideNumber* out) {
    std::fill_n(out, pass.entries, WideNumber());
    const auto take = [&](auto l, auto r, auto o) { out[o] = std::max(out[o], left[l] * right[r]); };
    WidePass(pass, take).run();
}

void left_derivatives(const SlicePass& pass, WideNumber* left, std::size_t entries, const WideNumber* right,
                      const WideNumber* out) {
    std::fill_n(left, entries, WideNumber());
    const auto add = [&](auto l, auto r, auto o) { left[l] += right[r] * out[o]; };
    WidePass(pass, add).run();
}

void right_derivatives(const SlicePass& pass, WideNumber* right, std::size_t entries, const WideNumber* left,
                       const WideNumber* out) {
    std::fill_n(right, entries, WideNumber());
    const auto add = [&](auto l, auto r, auto o) { right[r] += left[l] * out[o]; };
    WidePass(pass, add).run();
}

}  // namespace bayou
