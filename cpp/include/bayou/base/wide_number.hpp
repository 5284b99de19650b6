// A number that is not negative, with the precision of a double and an exponent without end: products of any number of
// probabilities do not underflow.
#pragma once

#include <cmath>
#include <cstdint>

namespace bayou {

// mantissa * 2^(512 * steps), where the mantissa is 0 or in [2^-256, 2^256).
class WideNumber {
  public:
    WideNumber() = default;
    WideNumber(double value) : mantissa_(value) {  // NOLINT: every double is one
        while (mantissa_ > 0 && mantissa_ < low) move_up();
        while (mantissa_ >= high) move_down();
    }

    WideNumber& operator*=(const WideNumber& by) {
        mantissa_ *= by.mantissa_;
        steps_ += by.steps_;
        return into_range();
    }

    WideNumber& operator/=(const WideNumber& by) {
        mantissa_ /= by.mantissa_;
        steps_ -= by.steps_;
        return into_range();
    }

    WideNumber& operator+=(const WideNumber& more) {
        if (more.mantissa_ == 0) return *this;
        if (mantissa_ == 0 || more.steps_ > steps_ + 1) return *this = more;
        if (more.steps_ == steps_) {
            mantissa_ += more.mantissa_;
        } else if (more.steps_ == steps_ - 1) {
            mantissa_ += more.mantissa_ * step_down;
        } else if (more.steps_ == steps_ + 1) {
            mantissa_ = more.mantissa_ + mantissa_ * step_down;
            steps_ = more.steps_;
        }
        if (mantissa_ >= high) move_down();
        return *this;
    }

    friend WideNumber operator*(WideNumber a, const WideNumber& b) { return a *= b; }
    friend WideNumber operator/(WideNumber a, const WideNumber& b) { return a /= b; }
    friend bool operator<(const WideNumber& a, const WideNumber& b) {
        if (a.mantissa_ == 0 || b.mantissa_ == 0) return a.mantissa_ < b.mantissa_;
        return a.steps_ == b.steps_ ? a.mantissa_ < b.mantissa_ : a.steps_ < b.steps_;
    }
    friend bool operator>(const WideNumber& a, const WideNumber& b) { return b < a; }

    // 0 or infinity where a double has no such number.
    explicit operator double() const {
        constexpr std::int64_t most_steps = 4;
        const std::int64_t steps = steps_ < -most_steps ? -most_steps : steps_ > most_steps ? most_steps : steps_;
        return std::ldexp(mantissa_, static_cast<int>(512 * steps));
    }
    // exp(log), where a double may have no such number; 0 for minus infinity.
    static WideNumber from_log(double log) {
        WideNumber number;
        if (log == -INFINITY) return number;
        const double steps = std::round(log / step_log);
        number.mantissa_ = std::exp(log - steps * step_log);
        number.steps_ = static_cast<std::int64_t>(steps);
        return number.into_range();
    }
    double log() const { return std::log(mantissa_) + static_cast<double>(steps_) * step_log; }

  private:
    static constexpr double step_log = 512 * 0.693147180559945309417;
    static constexpr double low = 0x1p-256, high = 0x1p256, step_up = 0x1p512, step_down = 0x1p-512;

    WideNumber& into_range() {
        if (mantissa_ < low) {
            if (mantissa_ > 0) move_up();
            else steps_ = 0;
        } else if (mantissa_ >= high) {
            move_down();
        }
        return *this;
    }
    void move_up() {
        mantissa_ *= step_up;
        --steps_;
    }
    void move_down() {
        mantissa_ *= step_down;
        ++steps_;
    }

    double mantissa_ = 0;
    std::int64_t steps_ = 0;
};

inline double log_of(double value) { return std::log(value); }
inline double log_of(const WideNumber& value) { return value.log(); }

}  // namespace bayou
