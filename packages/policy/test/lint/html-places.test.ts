import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mistakesOf } from '../load.ts';

const warnings = (html: string, format = 'html'): readonly string[] =>
  mistakesOf(
    `rules:\n  - reason: 1\n    name: n\n    when: order.amount > 1\n    then:\n      action: 3\n      format: ${format}\n      message: >-\n        ${html}\n`,
  );

const value = (of: string): string =>
  `warning: a value is inside ${of}, where escaping does not protect it => show it as text`;

describe('a value in an HTML message', () => {
  it.each([
    ['<p>Sent to {{payee.id}}</p>'],
    ['<p title="{{payee.id}}">a</p>'],
    ["<p title='to {{payee.id}} now' class=b>a > b</p>"],
    ['<a href="https://bank.example/">{{payee.id}}</a>'],
    ['<!-- {{payee.id}} --><script>let a;</script>{{payee.id}}'],
    ['1 < 2 {{payee.id}}'],
    ["<p title=\"{{ order.amount > 3.0 ? '\"' : '>' }}\">a</p>"],
  ])('is safe in %s', (html) => {
    expect(warnings(html)).toEqual([]);
  });

  it.each([
    [
      '<p title={{payee.id}}>a</p>',
      '9:18 warning: the value of title is not in quotes: a space in it would end it => title="{{…}}"',
    ],
    ['<a href="{{payee.id}}">a</a>', `9:18 ${value('a link')}`],
    ['<a class="b" HREF=\'https://bank.example/{{payee.id}}\'>a</a>', `9:49 ${value('a link')}`],
    ['<img src=//bank.example/{{payee.id}}>', `9:33 ${value('a link')}`],
    ['<p onclick="go(\'{{payee.id}}\')">a</p>', `9:25 ${value('a script')}`],
    ['<p style="color: {{payee.id}}">a</p>', `9:26 ${value('a style')}`],
    ['<script>let a = "{{payee.id}}";</script>', `9:26 ${value('a script')}`],
    ['<STYLE>b { color: {{payee.id}}', `9:27 ${value('a style')}`],
    ['<p {{payee.id}}>a</p>', `9:12 ${value('a tag')}`],
    ['<{{payee.id}}>', `9:10 ${value('a tag')}`],
  ])('is reported in %s', (html, ...expected) => {
    expect(warnings(html)).toEqual(expected);
  });

  it('is not checked if the format is text', () => {
    expect(warnings('<a href={{payee.id}}>', 'text')).toEqual([expect.stringContaining('format: html')]);
  });

  it('is found in linear time, whatever the message is', () => {
    const parts = fc.constantFrom('<a', '<script', '<!--', '"', "'", '>', ' b=', '{{payee.id}}', '</script', ' ', '<');
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 500 }), (pieces) => {
        expect(Array.isArray(warnings(pieces.join('')))).toBe(true);
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});
