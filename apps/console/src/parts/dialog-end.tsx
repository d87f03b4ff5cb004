import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiProblem } from '../api/api-problem.ts';
import { Button } from './button.tsx';
import { ProblemNote } from './problem-note.tsx';

interface DialogEndProps {
  readonly onCancel: () => void;
  /** Why it could not be done. */
  readonly problem?: ApiProblem | null;
  /** The button that does it. */
  readonly children: ReactNode;
}

/** The last line of a dialog: the way back, and the way on. */
export function DialogEnd({ onCancel, problem = null, children }: DialogEndProps): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t('act.cancel')}</Button>
        {children}
      </div>
    </>
  );
}
