from .analysis import (
    Analyser as Analyser,
    porter as porter,
)
from .functions import (
    BM25 as BM25,
    FUNCTIONS as FUNCTIONS,
    TFIDF as TFIDF,
    Cosine as Cosine,
    Dirichlet as Dirichlet,
    Function as Function,
    JelinekMercer as JelinekMercer,
)
from .index import (
    Query as Query,
    TextIndex as TextIndex,
)
from .link_analysis import (
    host_level_pagerank as host_level_pagerank,
    pagerank as pagerank,
    propagate as propagate,
)
from .pooling import (
    pool as pool,
)
from .retriever import (
    Retriever as Retriever,
)
from .sitemaps import (
    Sitemap as Sitemap,
    propagate_to_parents as propagate_to_parents,
    sitemap as sitemap,
)
