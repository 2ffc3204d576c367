import { PRNG, SIDES, flip as toss, pour } from './dice';
import * as rooms from './rooms';
import chalk from 'chalk';

const OPENING = 10;
let visitors = 0;

interface Guest {
  name: string;
}

abstract class House {
  gold = 0;

  abstract greet(): string;

  open(): void {
    this.gold = OPENING;
    this.clean();
  }

  clean(): void {}
}

export class Tavern extends House {
  private prng = new PRNG(1);
  board = new Uint8Array(SIDES * 64);
  mugs: number[] = [];
  guests: Guest[] = [];
  mood = 'quiet';
  tally = 0;

  reset(): void {
    super.open();
    this.mugs = [];
    this.mood = 'quiet';
    this.board = new Uint8Array(OPENING * 64);
  }

  step(action: number): number {
    visitors += 1;
    this.tally++;
    const mugs = this.mugs;
    if (toss()) mugs[0] = 3;
    pour(this.mugs, this.prng.next(4));
    for (const guest of this.guests) guest.name = 'drunk';
    switch (action) {
      case 0:
        this.gold -= rooms.price(this.level);
        break;
      case 1:
        this.mood = 'loud';
        break;
      default:
        [this.gold, this.tally] = [1, 2];
    }
    return this.count(this.gold);
  }

  get level(): number {
    return this.board[0] ?? 0;
  }

  count = (n: number): number => (n <= 0 ? 0 : 1 + this.count(n - 1));

  greet(): string {
    return chalk.red('hello');
  }

  clean(): void {
    this.board.fill(0);
  }

  render(): string {
    return this.mood;
  }
}
