/** Keeps one broken screen from breaking the whole window. */
import { Component, type ComponentType, type ErrorInfo, type ReactNode } from 'react';

export interface FallbackProps {
  onRetry: () => void;
  /** A file of the page's build is missing: only a reload helps. */
  lacksFile: boolean;
}

interface Props {
  /** A change of this key, for instance of the address, tries again. */
  resetKey: string;
  fallback: ComponentType<FallbackProps>;
  children: ReactNode;
}

interface State {
  error: unknown;
}

/** Vite's loader raises this event, before it throws, when a build file is missing. */
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
