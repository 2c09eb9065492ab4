"""Choose tracks: by a query, by media kind, and one of several copies."""
