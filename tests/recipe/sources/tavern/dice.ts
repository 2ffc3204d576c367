export const SIDES = 6;

/** Luck that can be seeded. */
export class PRNG {
  constructor(private seed: number) {}

  next(limit: number = SIDES): number {
    this.seed = (this.seed * 16807) % 2147483647;
    return this.seed % limit;
  }
}

export const flip = () => Math.random() < 0.5;

export function pour(mugs: number[], amount: number): void {
  mugs.push(amount);
}

export function unused(): void {}
