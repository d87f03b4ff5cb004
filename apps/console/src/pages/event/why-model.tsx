import { useQuery } from '@tanstack/react-query';
import { BrainCircuit, SearchCheck } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { follow } from '../../api/follow.ts';
import type { EventDetail, ExplainedEvent } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useInquiry } from '../../api/use-inquiry.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ProgressLine } from '../../parts/progress-line.tsx';
import type { KnownExplanations } from '../../policy/explain-models.ts';
import { policyTexts } from '../../policy/policy-texts.ts';
import { ModelReasons } from './model-reasons.tsx';

interface WhyModelProps {
  readonly event: EventDetail;
  readonly version: number;
}

/**
 * Why the models gave their results: at once from the inputs that the decision keeps, of other models on demand, by
 * a replay. Nothing if no rule for this kind of event reads a model.
 */
export function WhyModel({ event, version }: WhyModelProps): ReactElement | null {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const known = useKnownExplanations(event, version);
  const { inquiry, begin, cancel } = useInquiry<ExplainedEvent>();
  const ask = (): void =>
    begin(({ onProgress, onFound, signal }) =>
      follow(
        'explainEvent',
        { params: { workspace, event: event.id }, body: { again: true } },
        { hearing: { progress: onProgress, explained: onFound }, signal },
      ),
    );
  if (known === undefined) return null;
  const { found, problem, isRunning, progress } = inquiry;
  const models = found?.models ?? known.kept;
  const canAsk = found === undefined && known.hasOthers && !isRunning;
  return (
    <Panel
      title={t('model.why')}
      hint={canAsk ? t(known.kept.length === 0 ? 'model.againHint' : 'model.othersHint') : undefined}
      tools={
        canAsk ? (
          <Button small onClick={ask}>
            <SearchCheck aria-hidden className="size-3.5" />
            {t('model.ask')}
          </Button>
        ) : null
      }
    >
      <div className="flex flex-col gap-4">
        {isRunning ? <ProgressLine progress={progress} onCancel={cancel} /> : null}
        {problem === undefined ? null : <ProblemNote problem={problem} onRetry={ask} />}
        {found === undefined || found.differences === 0 ? null : (
          <p role="alert" className="rounded-md bg-warn-wash px-3 py-2 text-sm">
            {t('model.differs')}
          </p>
        )}
        {found !== undefined && models.length === 0 ? (
          <Empty sign={BrainCircuit} title={t('model.none')}>
            {t('model.noneHint')}
          </Empty>
        ) : null}
        {models.map((model) => (
          <ModelReasons key={model.name} model={model} />
        ))}
      </div>
    </Panel>
  );
}

/** The compiler is loaded only for a policy with models. */
function useKnownExplanations(event: EventDetail, version: number): KnownExplanations | undefined {
  const workspace = useWorkspaceName();
  const policy = useQuery({
    ...asking('readPolicy', { params: { workspace, version } }),
    staleTime: Infinity,
  });
  const files = policy.data?.files ?? [];
  const explained = useQuery({
    queryKey: ['explained models', workspace, event.id, version],
    enabled: policyTexts(files).some(({ text }) => /^models:/m.test(text)),
    queryFn: async () => {
      const { explainModels } = await import('../../policy/explain-models.ts');
      return explainModels(files, event) ?? null;
    },
    staleTime: Infinity,
  });
  return explained.data ?? undefined;
}
