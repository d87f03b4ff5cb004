import { figure } from './table.ts';

/** One figure with its bar. */
export interface Bar {
  readonly what: string;
  readonly measured: number;
  readonly bar: number;
  readonly must: 'reach' | 'stay below';
  readonly unit: string;
}

export function isMet({ measured, bar, must }: Bar): boolean {
  return must === 'reach' ? measured >= bar : measured <= bar;
}

/** `met` or `MISSED`, with both figures. */
export function printBar(bar: Bar): string {
  const sign = bar.must === 'reach' ? '>=' : '<=';
  const unit = bar.unit === '' ? '' : ` ${bar.unit}`;
  return `${isMet(bar) ? 'met   ' : 'MISSED'}  ${bar.what}: ${figure(bar.measured)}${unit} (bar ${sign} ${figure(bar.bar)}${unit})\n`;
}
