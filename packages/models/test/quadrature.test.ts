import { expect, it } from 'vitest';
import { gaussLegendre } from '../src/quadrature.ts';

it('integrates x^n on [0, 1] exactly up to degree 2 count - 1, and not the next', () => {
  const nextErrors: number[] = [];
  for (let count = 1; count <= 32; count++) {
    const { points, weights } = gaussLegendre(count);
    const errorOf = (degree: number): number => {
      let sum = 0;
      for (let k = 0; k < count; k++) sum += weights[k]! * points[k]! ** degree;
      return Math.abs(sum * (degree + 1) - 1);
    };
    for (let degree = 0; degree < 2 * count; degree++) expect(errorOf(degree)).toBeLessThan(1e-13);
    nextErrors.push(errorOf(2 * count));
  }
  for (const error of nextErrors.slice(0, 9)) expect(error).toBeGreaterThan(1e-12);
});
