import { Lock, RotateCcw, ServerOff } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../format/use-formats.ts';
import { problemTitles, spanishDetail } from '../language/problem-titles.ts';
import type { ApiProblem } from '../api/api-problem.ts';
import { Button } from './button.tsx';
import { RequestId } from './request-id.tsx';

interface ProblemNoteProps {
  readonly problem: ApiProblem;
  readonly onRetry?: () => void;
}

/** An error of the service, with its details and a button to retry. A conflict is described by its detail alone. */
export function ProblemNote({ problem, onRetry }: ProblemNoteProps): ReactElement {
  const { t, i18n } = useTranslation();
  const formats = useFormats();
  const code = problem.status === 0 ? 'service.unreachable' : problem.code;
  const isSpanish = i18n.language === 'es';
  const title = (isSpanish ? problemTitles[code] : undefined) ?? problem.title;
  const detail = formats.sentence(isSpanish ? spanishDetail(problem.detail) : problem.detail);
  const isDetailEnough = problem.code === 'state.conflict' && detail !== '';
  const forbidden = problem.code === 'right.missing';
  const Sign = forbidden ? Lock : ServerOff;
  return (
    <div role="alert" className="flex items-start gap-3 rounded-md border border-line bg-bad-wash px-4 py-3">
      <Sign aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0 text-sm">
        <p className="font-medium">{forbidden ? t('state.forbidden') : isDetailEnough ? detail : title}</p>
        {/* With a list of errors, the detail only summarizes them. */}
        {detail === '' || isDetailEnough || problem.errors.length > 0 ? null : <p className="text-soft">{detail}</p>}
        {problem.errors.map((error) => (
          <p key={`${error.pointer}${error.detail}`} className="text-soft">
            {/* The detail of a policy error already contains its file, its line and the expected value. */}
            {problem.code === 'policy.invalid' ? null : <code className="font-mono text-xs">{error.pointer}</code>}{' '}
            {error.detail} {problem.code === 'policy.invalid' ? null : error.expected}
          </p>
        ))}
        <RequestId of={problem.requestId} />
      </div>
      {onRetry === undefined || forbidden || problem.status === 404 ? null : (
        <Button small className="ml-auto" onClick={onRetry}>
          <RotateCcw aria-hidden className="size-3.5" />
          {t('state.retry')}
        </Button>
      )}
    </div>
  );
}
