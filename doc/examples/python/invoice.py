"""Adds up an invoice. Ten percent are taken off, and yet the sum is too small."""

PRICES = {"pen": 2.50, "ink": 7.00, "paper": 4.25}


def line_total(article: str, count: int) -> float:
    price = PRICES[article]
    total = price * count
    return total


def invoice(lines: list[tuple[str, int]], discount: float) -> float:
    subtotal = 0.0
    for article, count in lines:
        amount = line_total(article, count)
        subtotal += amount * (1 - discount)
    return subtotal * (1 - discount)


if __name__ == "__main__":
    order = [("pen", 4), ("ink", 1), ("paper", 10)]
    print(f"to pay: {invoice(order, discount=0.1):.2f}")
