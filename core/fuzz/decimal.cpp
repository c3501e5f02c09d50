// Numbers read from any bytes, and text written for any bits, against the C library.
#include "data/parsing/decimal.hpp"

#include <cmath>
#include <cstdint>

#include "fuzz/require.hpp"

using namespace directrank;

namespace {

void check_reading(Text text) {
    double value = -1;
    const Byte* const end = decimal::read(text.begin(), text.end(), value);
    REQUIRE(end >= text.begin() && end <= text.end());
    if (end != text.begin()) {
        const auto* const first = reinterpret_cast<const char*>(text.begin());
        REQUIRE(fuzz::are_same(value, decimal::c_library::parse<double>(first, reinterpret_cast<const char*>(end))));
    }
    if (text.size() >= 8) {
        const double six_decimals = decimal::read_six_decimals(ascii::load(text.data()));
        if (six_decimals >= 0) {
            REQUIRE(decimal::read(text.begin(), text.begin() + 8, value) == text.begin() + 8 && value == six_decimals);
        }
    }
    Index number;
    REQUIRE(decimal::read_integer(text.begin(), text.end(), 1000, number) >= text.begin() && number >= 0 && number <= 1000);
}

template <class Float>
void check_writing(Text text) {
    Float value;
    if (text.size() < static_cast<Index>(sizeof value)) return;
    std::memcpy(&value, text.data(), sizeof value);
    char written[decimal::ROOM];
    const char* const end = decimal::write(value, written);
    REQUIRE(end <= written + decimal::MAX_FLOAT_SIZE);
    REQUIRE(fuzz::are_same(value, decimal::c_library::parse<Float>(written, end)));
    if (!std::isfinite(value) || value == 0) return;
    const auto ours = decimal::shortest(std::abs(value)), theirs = decimal::c_library::shortest(std::abs(value));
    REQUIRE(ours.size == theirs.size && ours.exponent == theirs.exponent &&
            std::memcmp(ours.begin(), theirs.begin(), static_cast<std::size_t>(ours.size)) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Text text(data, static_cast<Index>(size));
    check_reading(text);
    check_writing<double>(text);
    check_writing<float>(text);
    return 0;
}
