from .docstring_collection import (
    Collection as Collection,
    docstrings as docstrings,
)
from .example_folder import (
    EXAMPLE_FILES as EXAMPLE_FILES,
    write_example as write_example,
)
from .generated import (
    make_ranking as make_ranking,
)
from .irds import (
    Texts as Texts,
    from_ir_datasets as from_ir_datasets,
)
from .reuters import (
    ModApte as ModApte,
    Story as Story,
    read_modapte as read_modapte,
    read_reuters as read_reuters,
)
