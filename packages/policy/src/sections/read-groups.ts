import { declaredEntries } from '../document/declared-entries.ts';
import type { Item } from '../document/item.ts';
import { compareText } from '../document/mistakes.ts';
import type { RuleGroup } from '../policy.ts';
import { checkName } from './names.ts';

const groupBounds = { groups: 50, priorityMax: 1_000, descriptionLength: 2_000 } as const;
const matches: readonly RuleGroup['match'][] = ['all', 'first'];

/** `groups: { takeover: { priority: 10, match: first } }`, from all files, in the order of evaluation. */
export function readGroups(sections: readonly Item[]): readonly RuleGroup[] {
  const groups = new Map<string, RuleGroup>();
  for (const { key, keyItem, value } of declaredEntries(sections, 'groups')) {
    const group = readGroup(key, value);
    if (groups.has(key)) keyItem.fail(`the group ${key} is declared twice`, 'another name');
    else if (groups.size >= groupBounds.groups)
      keyItem.fail('there are too many groups', `at most ${groupBounds.groups}`);
    else if (checkName(key, keyItem) && group !== undefined) groups.set(key, group);
  }
  return [...groups.values()].toSorted((a, b) => a.priority - b.priority || compareText(a.name, b.name));
}

function readGroup(name: string, item: Item): RuleGroup | undefined {
  const fields = item.fields('a group', ['priority', 'match', 'description']);
  if (fields === undefined) return undefined;
  fields.description?.text('description', groupBounds.descriptionLength);
  const priority = item.required(
    fields.priority,
    [`the group ${name} has no priority`, 'priority: 10; groups with smaller numbers are evaluated first'],
    (field) => field.integer('priority', { min: 1, max: groupBounds.priorityMax }),
  );
  const match = fields.match === undefined ? 'all' : fields.match.choice('match', matches);
  return priority === undefined || match === undefined ? undefined : { name, priority, match };
}
