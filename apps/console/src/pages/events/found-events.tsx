import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { lazy, type ReactElement, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiProblem } from '../../api/api-problem.ts';
import { follow } from '../../api/follow.ts';
import type { SearchedEvents } from '../../api/operations.generated.ts';
import { usePersonal } from '../../api/personal.ts';
import { type Inquiry, useInquiry } from '../../api/use-inquiry.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ProgressLine } from '../../parts/progress-line.tsx';
import { useSpan } from '../../url/use-span.ts';
import { useActivePolicy } from '../policy/use-active-policy.ts';
import { readEventsSearch } from './events-search.ts';
import { filtersAsCondition } from './filters-as-condition.ts';
import { FoundSummary } from './found-summary.tsx';
import { RuleOfThis } from './rule-of-this.tsx';

/** The editor and the compiler are loaded on demand. */
const ConditionField = lazy(() => import('./condition-field.tsx').then((one) => ({ default: one.ConditionField })));

/** Events of the whole history that match a condition. The address stores the condition; the answer is cached. */
export function FoundEvents(): ReactElement {
  const { t } = useTranslation();
  const { condition = '' } = useSearch({ from: '/w/$workspace/events' });
  const navigate = useNavigate({ from: '/w/$workspace/events' });
  const [text, setText] = useState(condition);
  const [shown, setShown] = useState({ condition, editor: 0 });
  const [mistakes, setMistakes] = useState<readonly Mistake[]>([]);
  if (shown.condition !== condition) {
    // After "back" or a link, the editor takes the condition of the address.
    const isOwn = text.trim() === condition;
    setShown({ condition, editor: shown.editor + (isOwn ? 0 : 1) });
    if (!isOwn) setText(condition);
    setMistakes([]);
  }
  const policy = useActivePolicy();
  const { inquiry, run, cancel } = useSearchOf(condition);
  const submit = async (): Promise<void> => {
    const wanted = text.trim();
    if (wanted === '') return;
    const { mistakesOf } = await import('./condition-field.tsx');
    const wrong = mistakesOf(policy.data?.files ?? [], wanted);
    setMistakes(
      wrong.map(({ line, column, message, suggestion }) => ({ text: `${line}:${column}: ${message}`, suggestion })),
    );
    if (wrong.length > 0) return;
    if (wanted === condition) run();
    else void navigate({ search: (before) => ({ ...before, condition: wanted }) });
  };
  return (
    <>
      <Panel>
        <div className="flex flex-col gap-2 pt-2">
          <Suspense fallback={<Loading rows={3} />}>
            {policy.isLoading ? (
              <Loading rows={3} />
            ) : (
              <ConditionField
                key={shown.editor}
                text={text}
                files={policy.data?.files ?? []}
                onChange={setText}
                onSubmit={() => void submit()}
              />
            )}
          </Suspense>
          <LeftFilters />
          <div className="flex items-center gap-3">
            <p className="text-xs text-soft">{t('find.hint')}</p>
            <span className="ml-auto flex shrink-0 gap-2">
              <RuleOfThis condition={text} />
              {inquiry.isRunning ? (
                <ProgressLine progress={inquiry.progress} onCancel={cancel} />
              ) : (
                <Button look="main" disabled={text.trim() === ''} onClick={() => void submit()}>
                  <Search aria-hidden className="size-4" />
                  {t('find.ask')}
                </Button>
              )}
            </span>
          </div>
          {mistakes.length > 0 ? <Mistakes of={mistakes} /> : <SearchProblem problem={inquiry.problem} />}
          {inquiry.isCancelled ? <p className="text-sm text-warn">{t('find.cancelled')}</p> : null}
        </div>
      </Panel>
      <Answer inquiry={inquiry} />
    </>
  );
}

/** Filters that stay in the address, but not in the condition. */
function LeftFilters(): ReactElement | null {
  const { t } = useTranslation();
  const { left } = filtersAsCondition(readEventsSearch(useSearch({ from: '/w/$workspace/events' })));
  if (left.length === 0) return null;
  const filters = left.map((name) => t(`events.filter.${name}`)).join(', ');
  return <p className="text-xs text-warn">{t('find.left', { filters })}</p>;
}

/** Errors of a condition with their positions: `1:7: there is no fact order.amonut`. */
interface Mistake {
  readonly text: string;
  readonly suggestion: string | undefined;
}

/** The service may find errors first, in a condition from a link. */
function SearchProblem({ problem }: { readonly problem: ApiProblem | undefined }): ReactElement | null {
  if (problem === undefined) return null;
  const wrong = problem.errors.filter(({ pointer }) => pointer === '/condition');
  if (wrong.length === 0) return <ProblemNote problem={problem} />;
  return <Mistakes of={wrong.map(({ detail, expected }) => ({ text: detail, suggestion: expected || undefined }))} />;
}

function Mistakes({ of }: { readonly of: readonly Mistake[] }): ReactElement {
  const { t } = useTranslation();
  return (
    <div role="alert" className="rounded-md bg-bad-wash px-3 py-2 text-sm">
      <p className="font-medium text-bad">{t('find.wrong')}</p>
      {of.map(({ text, suggestion }) => (
        <p key={text}>
          {text} {suggestion === undefined ? null : <span className="text-soft">({suggestion})</span>}
        </p>
      ))}
    </div>
  );
}

function Answer({ inquiry }: { readonly inquiry: Inquiry<SearchedEvents> }): ReactElement | null {
  const { t } = useTranslation();
  const { found, isRunning, problem } = inquiry;
  if (found === undefined) {
    return isRunning || problem !== undefined ? null : (
      <Panel>
        <Empty sign={Search} title={t('find.start')}>
          {t('find.startHint')}
        </Empty>
      </Panel>
    );
  }
  return <FoundSummary searched={found} isRunning={isRunning} />;
}

/** The search in the time range of the address. It starts when either changes, and uses the cache when one returns. */
function useSearchOf(condition: string): {
  readonly inquiry: Inquiry<SearchedEvents>;
  readonly run: () => void;
  readonly cancel: () => void;
} {
  const workspace = useWorkspaceName();
  const span = useSpan();
  const { range, from, to } = useSearch({ from: '/w/$workspace' });
  const personal = usePersonal();
  const client = useQueryClient();
  const { inquiry, begin, cancel, recall } = useInquiry<SearchedEvents>();
  const key = ['searched', workspace, condition, range, from, to, personal.show];
  const run = (): void =>
    begin(async ({ onProgress, onFound, signal }) => {
      const done = (searched: SearchedEvents): void => {
        onFound(searched);
        client.setQueryData(key, searched);
      };
      const found = (soFar: SearchedEvents['found']): void => onFound({ found: soFar, notes: [] });
      const body = { condition, ...span, ...personal };
      await follow(
        'searchEvents',
        { params: { workspace }, body },
        { hearing: { progress: onProgress, found, done }, signal },
      );
    });
  useEffect(() => {
    const kept = client.getQueryData<SearchedEvents>(key);
    if (kept === undefined && condition !== '') run();
    else recall(kept);
  }, [JSON.stringify(key)]);
  return { inquiry, run, cancel };
}
