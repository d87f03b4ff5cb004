import type { About } from '../reference/about.ts';
import { type Signal, unsupported } from '../signal.ts';

const codes = ['KeyQ', 'KeyW', 'KeyY', 'KeyM', 'Digit2', 'Semicolon', 'Quote', 'BracketLeft', 'Slash'] as const;

export const about: About = {
  what: `The characters of the keys ${codes.join(', ')}, in this order.`,
  purpose: 'Compared with languages and country: a person rarely changes the keyboard.',
  stability: 'setting',
  schema: { type: 'string', maxLength: 512 },
  source: 'https://wicg.github.io/keyboard-map/',
};

interface WithKeyboard {
  readonly keyboard?: { readonly getLayoutMap?: () => Promise<ReadonlyMap<string, string>> };
}

export async function keyboardLayout(): Promise<Signal<string>> {
  const layout = await (navigator as WithKeyboard).keyboard?.getLayoutMap?.();
  return layout === undefined ? unsupported : { value: codes.map((code) => layout.get(code) ?? ' ').join('') };
}
