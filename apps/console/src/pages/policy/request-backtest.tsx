import type { TFunction } from 'i18next';
import { FlaskConical } from 'lucide-react';
import { type ReactElement, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BacktestResult, PolicyOutcome, PolicyRequest } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useBuiltInActions } from '../deliveries/use-action-name.ts';
import { BacktestOutcome } from './backtest-outcome.tsx';
import { BacktestProgress, useBacktest } from './watched-backtest.tsx';

/** How soon a backtest is tried again while another one runs. */
const againMs = 3_000;

/** What the requested version would have done in the last days, beside the live one. Approvers start it. */
export function RequestBacktest({ request }: { readonly request: PolicyRequest }): ReactElement {
  const { t } = useTranslation();
  const params = { workspace: useWorkspaceName(), request: request.id };
  const mayStart = useRight('approve');
  const start = useDoing('backtestPolicyRequest', ['listPolicyRequests']);
  const { backtest } = request;
  // The service runs one at a time: this one waits for its turn as long as the page is open.
  const isWaiting = start.error?.code === 'state.conflict';
  const begin = (): void => start.mutate({ params });
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(begin, againMs);
    return () => clearTimeout(timer);
    // The error is another object after each try.
  }, [isWaiting, start.error]);
  return (
    <section className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <h3 className="eyebrow">{t('review.backtest')}</h3>
        {mayStart ? (
          <Button small busy={start.isPending || isWaiting} onClick={begin}>
            <FlaskConical aria-hidden className="size-3.5" />
            {t(backtest === undefined ? 'review.runBacktest' : 'review.runAgain')}
          </Button>
        ) : null}
      </div>
      {isWaiting ? (
        <p role="status" className="text-sm text-soft">
          {t('review.waits')}
        </p>
      ) : null}
      {start.error === null || isWaiting ? null : <ProblemNote problem={start.error} />}
      {backtest === undefined ? (
        <p className="text-sm text-soft">{t('review.noBacktest')}</p>
      ) : (
        <WatchedResult id={backtest} version={request.version} />
      )}
    </section>
  );
}

function WatchedResult({ id, version }: { readonly id: number; readonly version: number }): ReactElement | null {
  const { t } = useTranslation();
  const { data, error } = useBacktest(id);
  if (error !== null) return <p className="text-sm text-soft">{t('review.noBacktest')}</p>;
  if (data === undefined) return null;
  const { result, against, policyVersion } = data;
  if (result === undefined) return <BacktestProgress label={t('review.backtest')} of={data} />;
  return <Comparison id={id} result={result} versions={{ tried: policyVersion, live: against }} requested={version} />;
}

interface ComparisonProps {
  readonly id: number;
  readonly result: BacktestResult;
  readonly versions: { readonly tried: number | undefined; readonly live: number | undefined };
  readonly requested: number;
}

/** In an emergency the requested version is the live one, and the version before was tried: the columns change places. */
function Comparison({ id, result, versions, requested }: ComparisonProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const [isOpen, setOpen] = useState(false);
  const builtIn = useBuiltInActions();
  const { candidate, events } = result;
  const live = result.live ?? candidate;
  const isSwapped = versions.live === requested;
  const [before, after] = isSwapped ? [candidate, live] : [live, candidate];
  const [beforeVersion, afterVersion] = isSwapped ? [versions.tried, versions.live] : [versions.live, versions.tried];
  const rows = [...counted([before, after], builtIn, t), ...summed(before, after, t)];
  return (
    <>
      <table className="w-full max-w-3xl text-right text-sm">
        <caption className="sr-only">{t('review.backtest')}</caption>
        <thead>
          <tr className="border-b border-line text-xs text-soft">
            <th className="py-1 text-left font-medium">
              {t('review.inEvents', { shown: formats.number(events.decided), count: events.decided })}
            </th>
            <th className="font-medium">{t('review.version', { version: beforeVersion ?? '–' })}</th>
            <th className="font-medium">{t('review.version', { version: afterVersion ?? '–' })}</th>
            <th className="font-medium">{t('review.difference')}</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ name, was, is }) => (
            <tr key={name}>
              <th className="py-1 text-left font-normal">{name}</th>
              <td className="text-soft">{formats.number(was)}</td>
              <td>{formats.number(is)}</td>
              <td className="font-semibold">
                {is === was ? '=' : `${is > was ? '+' : '−'}${formats.number(Math.abs(is - was))}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div>
        <Button small onClick={() => setOpen(true)}>
          {t('review.whole')}
        </Button>
      </div>
      {isOpen ? (
        <Dialog title={t('backtest.title')} wide onClose={() => setOpen(false)}>
          <div className="max-h-[75vh] overflow-y-auto" tabIndex={0} role="group" aria-label={t('backtest.title')}>
            <BacktestOutcome id={id} result={result} />
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

interface Compared {
  readonly name: string;
  readonly was: number;
  readonly is: number;
}

function counted(
  [before, after]: readonly [PolicyOutcome, PolicyOutcome],
  builtIn: (action: number) => string | undefined,
  t: TFunction,
): readonly Compared[] {
  const actions = [...new Set([...before.actions, ...after.actions].map(({ action }) => action))].toSorted(
    (a, b) => a - b,
  );
  const named = (action: number): string =>
    builtIn(action) ??
    [...after.actions, ...before.actions].find((one) => one.action === action)?.name ??
    t('action.own', { action });
  const of = ({ actions: all }: PolicyOutcome, action: number): number =>
    all.find((one) => one.action === action)?.count ?? 0;
  return [
    { name: t('review.alerts'), was: before.flagged.events, is: after.flagged.events },
    { name: t('backtest.caught'), was: before.flagged.fraud, is: after.flagged.fraud },
    { name: t('backtest.goodHit'), was: before.legitimateClients, is: after.legitimateClients },
    ...actions.map((action) => ({
      name: t('review.action', { name: named(action) }),
      was: of(before, action),
      is: of(after, action),
    })),
  ];
}

/** Amounts of flagged fraud and of flagged legitimate events by currency. */
function summed(before: PolicyOutcome, after: PolicyOutcome, t: TFunction): readonly Compared[] {
  const currencies = [...new Set([...before.money, ...after.money].map(({ currency }) => currency))].toSorted();
  return currencies.flatMap((currency) =>
    (['fraud', 'legitimate'] as const).map((label) => {
      const of = ({ money }: PolicyOutcome): number =>
        Number(money.find((one) => one.currency === currency)?.[label] ?? 0);
      return { name: t(`review.money.${label}`, { currency }), was: of(before), is: of(after) };
    }),
  );
}
