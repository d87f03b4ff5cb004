import { parseDocument, Scalar } from 'yaml';
import { describe, expect, it } from 'vitest';
import { scalarPositions } from '../../src/document/scalar-positions.ts';

/** The text of the file from the position of the mark in the scalar's value. */
function pointed(source: string, mark: string): string {
  const node = parseDocument(source).get('when', true);
  if (!(node instanceof Scalar) || typeof node.value !== 'string' || node.range === undefined || node.range === null) {
    throw new Error('a text is expected');
  }
  const positions = scalarPositions(source, [node.range[0], node.range[1]], node.value);
  return source.slice(positions(node.value.indexOf(mark)), positions(node.value.indexOf(mark) + mark.length - 1) + 1);
}

describe('positions in a scalar', () => {
  it.each([
    ['plain', 'when: a && MARK > 1'],
    ['plain over lines', 'when: a &&\n  b &&\n    MARK > 1\nthen: 1'],
    ['single-quoted', "when: 'a == ''x'' && MARK > 1'"],
    ['double-quoted', 'when: "a == \\"x\\" && MARK > 1"'],
    ['double-quoted with escapes', 'when: "a\\t\\u0041 && MARK > 1"'],
    ['double-quoted, an escape first', 'when: "\\u0061 && MARK > 1"'],
    ['double-quoted over lines', 'when: "a && \\\n  \\\n   b\n  && MARK > 1"'],
    ['literal block', 'when: |\n  a &&\n  b && MARK > 1\n'],
    ['folded block', 'when: >-\n  a &&\n  b\n  && MARK > 1\n'],
    ['folded block with a comment and CRLF', 'when: >- # why\r\n    a &&\r\n    MARK > 1\r\n'],
    ['indented more', 'when: |\n  a &&\n      MARK > 1\n'],
  ])('%s', (_, source) => {
    expect(pointed(source, 'MARK')).toBe('MARK');
  });

  it('point at the end if the text ends too early', () => {
    const source = 'when: a &&\nthen: 1';
    const positions = scalarPositions(source, [6, 10], 'a &&');
    expect(positions(4)).toBe(10);
    expect(scalarPositions('x: ""', [3, 5], '')(0)).toBe(3);
  });
});
