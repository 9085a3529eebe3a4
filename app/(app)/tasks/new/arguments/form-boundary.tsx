"use client";

import { Component, type ReactNode } from "react";

/** A schema that the form library breaks down over takes its form with it, and not the page: JSON remains. */
export class FormBoundary extends Component<
  { children: ReactNode; onBroken: () => void },
  { broken: boolean }
> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override componentDidCatch() {
    this.props.onBroken();
  }

  override render() {
    return this.state.broken ? null : this.props.children;
  }
}
