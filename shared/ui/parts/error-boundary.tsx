/** Keeps one broken screen from taking the whole window with it. */
import { Component, type ComponentType, type ErrorInfo, type ReactNode } from 'react';

export interface FallbackProps {
  onRetry: () => void;
  /** A file of the page's build was not there: only loading the page anew helps. */
  lacksFile: boolean;
}

interface Props {
  /** A change of this, for instance of the address, tries again. */
  resetKey: string;
  fallback: ComponentType<FallbackProps>;
  children: ReactNode;
}

interface State {
  error: unknown;
}

/** Told by Vite's loader, before it throws the error, when a file of the build is not there. */
export const FILE_LACKS = 'vite:preloadError';

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null };
  readonly #lacks = new WeakSet<Error>();
  readonly #onLack = ({ payload }: VitePreloadErrorEvent): void => void this.#lacks.add(payload);

  static getDerivedStateFromError(error: unknown): State {
    return { error: error ?? new Error('thrown without a value') };
  }

  override componentDidMount(): void {
    window.addEventListener(FILE_LACKS, this.#onLack);
  }

  override componentWillUnmount(): void {
    window.removeEventListener(FILE_LACKS, this.#onLack);
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    console.error('A screen could not be drawn.', error, info.componentStack);
  }

  override componentDidUpdate(before: Props): void {
    if (this.state.error !== null && before.resetKey !== this.props.resetKey) this.setState({ error: null });
  }

  override render(): ReactNode {
    const { fallback: Fallback, children } = this.props;
    const { error } = this.state;
    if (error === null) return children;
    const lacksFile = error instanceof Error && this.#lacks.has(error);
    return <Fallback lacksFile={lacksFile} onRetry={() => this.setState({ error: null })} />;
  }
}
