import type { Rule } from '@ringfence/policy';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { RuleHealth } from '../../api/operations.generated.ts';
import { precisionOf } from './rule-chart.tsx';

export const healthColumns = ['fired', 'shadow', 'heldBack', 'missing', 'precision', 'cost'] as const;
export type HealthColumn = 'rule' | 'mode' | (typeof healthColumns)[number];

export interface HealthSort {
  readonly by: HealthColumn;
  readonly isDown: boolean;
}

export interface HealthRow {
  readonly rule: Rule;
  readonly health: RuleHealth;
}

/** The value by which a column sorts; rules without one come last. */
function valueOf({ rule, health }: HealthRow, by: HealthColumn): number | string | undefined {
  switch (by) {
    case 'rule':
      return rule.reason;
    case 'mode':
      return rule.mode;
    case 'fired':
      return health.fired;
    case 'shadow':
      return health.shadow;
    case 'heldBack':
      return health.suppressed;
    case 'missing':
      return health.missing;
    case 'precision':
      return precisionOf(health);
    case 'cost':
      return rule.condition.cost;
  }
}

/** Rules in the order of a column; equal ones by their number. */
export function sortedHealth(rows: readonly HealthRow[], { by, isDown }: HealthSort): readonly HealthRow[] {
  const compare = (a: HealthRow, b: HealthRow): number => {
    const [one, other] = [valueOf(a, by), valueOf(b, by)];
    if (one === other) return 0;
    if (one === undefined || other === undefined) return one === undefined ? 1 : -1;
    return (one < other ? -1 : 1) * (isDown ? -1 : 1);
  };
  return rows.toSorted((a, b) => compare(a, b) || a.rule.reason - b.rule.reason);
}

interface SortHeaderProps {
  readonly column: HealthColumn;
  readonly label: string;
  readonly title?: string;
  readonly sort: HealthSort;
  readonly onSort: (sort: HealthSort) => void;
  readonly className: string;
}

/** The head of a column, which sorts by it: numbers first from the greatest. */
export function SortHeader({ column, label, title, sort, onSort, className }: SortHeaderProps): ReactElement {
  const { t } = useTranslation();
  const isSorted = sort.by === column;
  const Sign = sort.isDown ? ArrowDown : ArrowUp;
  const isDownFirst = column !== 'rule' && column !== 'mode';
  return (
    <th
      className={`eyebrow ${className}`}
      title={title}
      aria-sort={isSorted ? (sort.isDown ? 'descending' : 'ascending') : 'none'}
    >
      <button
        type="button"
        title={t('ruleHistory.sortBy', { column: label })}
        onClick={() => onSort({ by: column, isDown: isSorted ? !sort.isDown : isDownFirst })}
        className="inline-flex items-center gap-1 uppercase hover:text-ink"
      >
        {label}
        {isSorted ? <Sign aria-hidden className="size-3" /> : null}
      </button>
    </th>
  );
}
