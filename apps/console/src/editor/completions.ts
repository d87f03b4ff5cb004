import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { hoverTooltip } from '@codemirror/view';
import { completions as known, type Completion as Known } from '@ringfence/policy';

const word = /[\w.]*/;
/** Ranks facts above functions, and declarations of the policy above both. */
const boosts = { own: 2, fact: 1, function: 0, method: -1, featureKind: -1, featureMember: -2 } as const;

/** Completes facts, functions, features and lists of the policy, and describes them on hover. */
export function policyCompletions(ownNames: () => readonly string[]): Extension {
  const all = known();
  const byLabel = new Map(all.map((one) => [one.label, one]));
  const offers = all.map(offerOf);
  const source = (context: CompletionContext): CompletionResult | null => {
    const before = context.matchBefore(word);
    if (before === null || (before.from === before.to && !context.explicit)) return null;
    const own = ownNames().map((label): Completion => ({
      label,
      type: 'variable',
      detail: 'policy',
      boost: boosts.own,
    }));
    return { from: before.from, options: [...own, ...offers], validFor: /^[\w.]*$/ };
  };
  const hover = hoverTooltip((view, at) => {
    const line = view.state.doc.lineAt(at);
    const [from, to] = wordAround(line.text, at - line.from);
    const found =
      byLabel.get(line.text.slice(from, to)) ?? byLabel.get(line.text.slice(from, to).split('.').at(-1) ?? '');
    if (found === undefined) return null;
    return { pos: line.from + from, end: line.from + to, create: () => ({ dom: describe(found) }) };
  });
  return [autocompletion({ override: [source], icons: false }), hover];
}

function offerOf(one: Known): Completion {
  return { label: one.label, detail: one.detail, type: one.kind, boost: boosts[one.kind], info: () => describe(one) };
}

function wordAround(text: string, at: number): readonly [number, number] {
  const before = /[\w.]*$/.exec(text.slice(0, at))?.[0].length ?? 0;
  const after = /^\w*/.exec(text.slice(at))?.[0].length ?? 0;
  return [at - before, at + after];
}

function describe({ label, detail, doc, example }: Known): HTMLElement {
  const box = document.createElement('div');
  box.className = 'cm-hint';
  const name = box.appendChild(document.createElement('code'));
  name.textContent = label;
  box.append(` ${detail}`);
  box.appendChild(document.createElement('div')).textContent = doc;
  if (example !== undefined) box.appendChild(document.createElement('code')).textContent = example;
  return box;
}
