import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { InquiryProgress } from '../api/operations.generated.ts';
import { useFormats } from '../format/use-formats.ts';
import { Button } from './button.tsx';
import { ProgressBar } from './progress-bar.tsx';

interface ProgressLineProps {
  readonly progress: InquiryProgress | undefined;
  readonly onCancel: () => void;
}

/** Progress of a log replay, with a cancel button. */
export function ProgressLine({ progress, onCancel }: ProgressLineProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const { done = 0, total = 0 } = progress ?? {};
  return (
    <div className="flex items-center gap-3 text-sm">
      <ProgressBar label={t('inquiry.progress')} done={done} total={total} />
      <span className="text-soft" role="status">
        {total === 0
          ? t('inquiry.begins')
          : t('inquiry.records', { done: formats.number(done), total: formats.number(total) })}
      </span>
      <Button small onClick={onCancel}>
        {t('act.cancel')}
      </Button>
    </div>
  );
}
