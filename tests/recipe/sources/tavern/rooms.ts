const PRICES = [1, 2, 3];

export function price(level: number): number {
  return PRICES[level] ?? 0;
}
