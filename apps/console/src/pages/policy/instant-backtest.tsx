import { loadPolicy, type PolicyFile } from '@ringfence/policy';
import { useQueryClient } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiProblem } from '../../api/api-problem.ts';
import { call } from '../../api/call.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useSpan } from '../../url/use-span.ts';
import { type BacktestTurn, endBacktest, isUnderWay } from './backtest-turn.ts';
import { WatchedBacktest } from './watched-backtest.tsx';

/** Delay after the last change before a backtest starts. */
const restMs = 1_000;
/** Interval for checking whether another backtest has ended. */
const turnMs = 2_000;

interface InstantBacktestProps {
  readonly files: readonly PolicyFile[];
  readonly isChanged: boolean;
  readonly turn: BacktestTurn;
}

/**
 * Automatic backtest of the draft in the chosen time range. It starts when the decisions may change, not after an
 * edited
 * comment or with errors. It is cancelled when the text changes again and while a requested backtest is open.
 */
export function InstantBacktest({ files, isChanged, turn }: InstantBacktestProps): ReactElement {
  const { t } = useTranslation();
  const decides = useMemo(() => {
    const loaded = loadPolicy(files);
    return loaded.ok ? loaded.policy.canonical : undefined;
  }, [files]);
  const wanted = isChanged && !turn.isTaken ? decides : undefined;
  const tried = useTried(wanted, files, turn.left);
  // A discarded draft has no backtest.
  const { id, problem } = isChanged ? tried : nothing;
  const waits = !isChanged ? 'besideHint' : decides === undefined ? 'waitsForText' : 'soon';
  return (
    <Panel
      title={t('backtest.beside')}
      hint={id !== undefined && waits === 'waitsForText' ? t('backtest.waitsForText') : undefined}
    >
      <div
        className="max-h-[calc(100vh-19rem)] overflow-y-auto"
        tabIndex={0}
        role="group"
        aria-label={t('backtest.beside')}
      >
        {problem !== undefined && !isOfOthers(problem) ? <ProblemNote problem={problem} /> : null}
        {problem !== undefined && isOfOthers(problem) ? (
          <p className="mb-2 text-sm text-soft" role="status">
            {problem.detail}
          </p>
        ) : null}
        {id === undefined ? (
          <p className="flex items-start gap-2 text-sm text-soft">
            <FlaskConical aria-hidden className="mt-0.5 size-4 shrink-0" />
            {t(`backtest.${waits}`)}
          </p>
        ) : (
          <WatchedBacktest id={id} isNarrow />
        )}
      </div>
    </Panel>
  );
}

interface Tried {
  readonly id: number | undefined;
  readonly problem: ApiProblem | undefined;
}

const nothing: Tried = { id: undefined, problem: undefined };

/** Another backtest or training is running; this one waits. */
function isOfOthers({ code }: ApiProblem): boolean {
  return code === 'state.conflict';
}

/**
 * Runs the backtest of a policy shortly after its last change; the previous result stays until the next one starts. The
 * service runs one at a time, so later ones wait.
 */
function useTried(decides: string | undefined, files: readonly PolicyFile[], left: BacktestTurn['left']): Tried {
  const workspace = useWorkspaceName();
  const span = useSpan();
  const client = useQueryClient();
  const [tried, setTried] = useState(nothing);
  useEffect(() => {
    if (decides === undefined) return undefined;
    const key = ['tried', workspace, span, decides];
    // After a visit to an example, the earlier result is still cached.
    const known = client.getQueryData<number>(key);
    if (known !== undefined) {
      setTried({ id: known, problem: undefined });
      return undefined;
    }
    let timer: ReturnType<typeof setTimeout>;
    let isLeft = false;
    let begun: number | undefined;
    let beginning = Promise.resolve();
    const begin = (): void => {
      if (isLeft) return;
      // A new rule begins in shadow: in its mode, every total would be as before.
      const body = { files, ...span, against: 'live', asLive: 'new' } as const;
      beginning = call('startBacktest', { params: { workspace }, body }).then(
        ({ id }) => {
          begun = id;
          if (isLeft) return endBacktest(workspace, id);
          client.setQueryData(key, id);
          setTried({ id, problem: undefined });
          return undefined;
        },
        (problem: ApiProblem) => {
          if (isLeft) return;
          // Meanwhile, the owner and progress of the running backtest are shown.
          if (isOfOthers(problem)) timer = setTimeout(begin, turnMs);
          setTried(({ id }) => ({ id: isOfOthers(problem) ? id : undefined, problem }));
        },
      );
    };
    // The previous one of this page has to end first; backtests of others are polled.
    timer = setTimeout(() => void left.current.then(begin), restMs);
    const leave = (): void => {
      isLeft = true;
      clearTimeout(timer);
      let ended = beginning;
      if (begun !== undefined && isUnderWay(client, workspace, begun)) {
        client.removeQueries({ queryKey: key });
        ended = endBacktest(workspace, begun);
      }
      left.current = Promise.all([left.current, ended]);
    };
    // A reload or a closed tab runs no cleanup.
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
    // The text may change without an effect on decisions.
  }, [decides, workspace, span, client, left]);
  return decides === undefined && tried.id === undefined ? nothing : tried;
}
