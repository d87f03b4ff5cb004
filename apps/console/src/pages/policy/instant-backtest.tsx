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

/** The hands rest for so long before what they wrote is tried. */
const restMs = 1_000;
/** While another backtest runs, it is asked so often whether it has ended. */
const turnMs = 2_000;

interface InstantBacktestProps {
  readonly files: readonly PolicyFile[];
  readonly isChanged: boolean;
  readonly turn: BacktestTurn;
}

/**
 * What the text beside it would have done in the chosen time, tried by itself whenever it decides otherwise than before.
 * A comment, or a change that does not load, tries nothing. One that is under way ends when the text moves on, and while
 * somebody looks at a backtest that was asked for.
 */
export function InstantBacktest({ files, isChanged, turn }: InstantBacktestProps): ReactElement {
  const { t } = useTranslation();
  const decides = useMemo(() => {
    const loaded = loadPolicy(files);
    return loaded.ok ? loaded.policy.canonical : undefined;
  }, [files]);
  const wanted = isChanged && !turn.isTaken ? decides : undefined;
  const tried = useTried(wanted, files, turn.left);
  // What was discarded is no text any more that stands beside it.
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

/** Another one runs; this one waits for its turn. */
function isOfOthers({ code }: ApiProblem): boolean {
  return code === 'state.conflict';
}

/**
 * The backtest of what decides so, begun a moment after it last changed; the last one stays until the next begins. One
 * runs at a time in the whole service: whoever comes second waits for a turn.
 */
function useTried(decides: string | undefined, files: readonly PolicyFile[], left: BacktestTurn['left']): Tried {
  const workspace = useWorkspaceName();
  const span = useSpan();
  const client = useQueryClient();
  const [tried, setTried] = useState(nothing);
  useEffect(() => {
    if (decides === undefined) return undefined;
    const key = ['tried', workspace, span, decides];
    // Whoever comes back from an example finds what was tried before.
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
      const body = { files, ...span, against: 'live' } as const;
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
          // Whose turn it is, and how far it is, is said meanwhile.
          if (isOfOthers(problem)) timer = setTimeout(begin, turnMs);
          setTried(({ id }) => ({ id: isOfOthers(problem) ? id : undefined, problem }));
        },
      );
    };
    // The last one of this page has to end before; a turn of somebody else is asked for.
    timer = setTimeout(() => void left.current.then(begin), restMs);
    return () => {
      isLeft = true;
      clearTimeout(timer);
      let ended = beginning;
      if (begun !== undefined && isUnderWay(client, workspace, begun)) {
        client.removeQueries({ queryKey: key });
        ended = endBacktest(workspace, begun);
      }
      left.current = Promise.all([left.current, ended]);
    };
    // The text may change without deciding otherwise.
  }, [decides, workspace, span, client, left]);
  return decides === undefined && tried.id === undefined ? nothing : tried;
}
